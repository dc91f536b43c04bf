"""Remembering on purpose: the words as given, what they name, and what became of them (F-CMD-1 to F-CMD-6, F-MCP-3)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.curate.conftest import OpenFabric

from memory_fabric.app import Fabric
from memory_fabric.clock import utcnow
from memory_fabric.curate.note import Around, Means, Outcome, Status, Wish
from memory_fabric.curate.remember import PART, note_id, remember
from memory_fabric.errors import EmbedderUnavailable, StoreUnavailable, UsageError
from memory_fabric.ingest.redact import redact
from memory_fabric.model.graph import Entity
from memory_fabric.model.memory import MemoryId, MemoryKind, StatementKind
from memory_fabric.model.query import Mode, Scope
from memory_fabric.ports import Extraction
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

SECRETS = {
    "anthropic": "sk-ant-api03-" + "A" * 40,
    "github": "ghp_" + "a" * 36,
    "aws": "AKIA" + "B" * 16,
    "url": "postgres://u:pw@h/db",
    "header": "Authorization: Bearer abcdefghijklmnop0123456789",
}
"""As C-110 has them."""

KEY_BLOCK = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"


def names(entities: tuple[Entity, ...]) -> set[str]:
    return {entity.name for entity in entities}


def test_the_words_are_kept_as_given(fabric: Fabric, shop: str) -> None:
    said = fabric.remember("  We never release\ton Fridays.\n\n— the team ", cwd=shop, agent="release-manager")
    kept = fabric.get(said.ids)[0]
    assert kept.text == "We never release\ton Fridays.\n\n— the team"
    assert (kept.kind, kept.origin.source) == (MemoryKind.NOTE, "note")
    assert kept.origin.session == f"note:{kept.id}"
    assert dict(kept.metadata) == {"category": "decision", "agent": "release-manager", "source": "note"}
    assert kept.project == fabric.store.projects()[0].id
    assert fabric.store.projects()[0].root == shop
    assert said.characters == len(kept.text)


def test_what_a_note_names_and_relates_is_found_in_its_words(fabric: Fabric, shop: str) -> None:
    """F-EXTR-1, F-CMD-5: what was created, and the totals."""
    said = fabric.remember("database-engineer uses pgvector for RAG applications", cwd=shop)
    assert names(said.new_entities) == {"database-engineer", "pgvector", "RAG"}
    assert {entity.label for entity in said.new_entities} == {"agent", "technology", "pattern"}
    assert [relation.label for relation in said.relations] == ["uses", "used_for"]
    assert (said.entities_total, said.relations_total) == (3, 2)
    related = fabric.related("pgvector")
    assert [memory.id for memory in related.memories] == list(said.ids)


def test_the_project_itself_is_an_end_of_what_is_said_of_it(fabric: Fabric, shop: str) -> None:
    """Features.md §9.2: the current project is a Project."""
    said = fabric.remember("We use Redis for caching.", cwd=shop)
    project = next(entity for entity in said.new_entities if entity.label == "project")
    assert project.name == "shop"
    assert any(project.id in (relation.subject, relation.object) for relation in said.relations)


def test_a_known_entity_gets_the_words_as_an_observation_and_is_told_apart(fabric: Fabric, shop: str) -> None:
    """F-CMD-4."""
    fabric.remember("Redis holds the sessions.", cwd=shop)
    said = fabric.remember("Redis needs a password in PostHog.", cwd=shop)
    assert names(said.known_entities) == {"Redis"}
    assert names(said.new_entities) == {"PostHog"}
    node = fabric.knowledge.open_nodes(["redis"]).nodes[0]
    assert node.observations == ("Redis holds the sessions.", "Redis needs a password in PostHog.")


def test_the_category_is_found_in_the_words_unless_it_is_given(fabric: Fabric, shop: str) -> None:
    """Vocabulary.md §4, with its own example."""
    assert fabric.remember("JWT authentication API endpoint", cwd=shop).category == "authentication"
    assert fabric.remember("The endpoint returns XML", cwd=shop, category="preference").category == "preference"
    assert fabric.remember("Nothing special", cwd=shop).category == "decision"
    with pytest.raises(UsageError, match="category 'dreams' is not known") as refused:
        fabric.remember("Sheep jump", cwd=shop, category="dreams")
    assert "pagination, database" in refused.value.hint
    assert fabric.store.count() == 3


def test_a_category_given_is_what_filters_go_by(fabric: Fabric, shop: str) -> None:
    fabric.remember("We decided to use Redis because it is fast.", cwd=shop, category="security")
    scope = Scope(categories=("security",))
    assert len(fabric.search("Redis", scope, mode=Mode.TEXT).results) == 1
    assert len(fabric.search("Redis", Scope(categories=("performance",)), mode=Mode.TEXT).results) == 0


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("preference", StatementKind.PREFERENCE),
        ("blocker", StatementKind.PROBLEM),
        ("architecture", StatementKind.DECISION),
    ],
)
def test_a_note_without_a_cue_is_a_statement_itself(
    fabric: Fabric, shop: str, category: str, kind: StatementKind
) -> None:
    """What was asked to be remembered stands among a project's decisions, problems or preferences."""
    fabric.remember("Hexagonal modules,  one port each", cwd=shop, category=category)
    ((_, statement),) = fabric.store.statements([*StatementKind], Scope(), 9)
    assert (statement.kind, statement.text, statement.category) == (kind, "Hexagonal modules, one port each", category)
    assert "Hexagonal modules" in fabric.load().text


def test_a_failure_is_an_anti_pattern_with_its_lesson(fabric: Fabric, shop: str) -> None:
    """F-CMD-2, features.md §9.2."""
    said = fabric.remember(
        "Offset pagination timed out on large tables. We should have used cursors from the start.",
        cwd=shop,
        outcome="failed",
    )
    assert said.outcome is Outcome.FAILED
    assert said.lesson == "should have used cursors from the start"
    assert said.memory.metadata["lesson"] == said.lesson
    anti = next(entity for entity in said.new_entities if entity.label == "anti_pattern")
    assert anti.name == "Offset pagination timed out on large tables"


def test_a_lesson_told_beside_the_words_can_be_found_too(fabric: Fabric, shop: str) -> None:
    said = fabric.remember("The nightly import broke.", cwd=shop, outcome="failed", lesson="stream it with ijson")
    assert said.lesson == "stream it with ijson"
    assert said.memory.text == "The nightly import broke.\n\nInstead: stream it with ijson"
    assert fabric.search("ijson", mode=Mode.TEXT).results[0].candidate.memory.id == said.memory.id
    with pytest.raises(UsageError, match="a lesson"):
        fabric.remember("It worked.", cwd=shop, outcome="success", lesson="nothing")


def test_without_a_failure_nothing_is_a_lesson(fabric: Fabric, shop: str) -> None:
    said = fabric.remember("It is better to ask first.", cwd=shop)
    assert said.lesson is None
    assert said.outcome is None


def test_an_outcome_that_does_not_exist_is_refused(fabric: Fabric) -> None:
    with pytest.raises(UsageError, match="outcome 'so-so' is not known"):
        fabric.remember("Meh", outcome="so-so")


def test_the_agent_whose_memory_it_is_leads_to_it(fabric: Fabric, shop: str) -> None:
    said = fabric.remember("Keep migrations reversible.", cwd=shop, agent="database-engineer")
    assert said.agent == "database-engineer"
    assert "Keep migrations reversible." in fabric.knowledge.open_nodes(["database-engineer"]).nodes[0].observations


# ── what is refused, and what is taken out ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["", "   ", "\n\t \n", "\0"])
def test_nothing_is_no_memory(fabric: Fabric, text: str) -> None:
    """F-ERR-6."""
    with pytest.raises(UsageError, match="the text is empty"):
        fabric.remember(text)
    assert fabric.store.count() == 0


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_taken_out_before_anything_is_stored_and_said(
    fabric: Fabric, shop: str, tmp_path: Path, secret: str
) -> None:
    """C-110, F-PRIV-1, F-PRIV-2: in the text, the lesson and the agent; the store's files never hold it."""
    said = fabric.remember(
        f"The staging login is {secret} for now", cwd=shop, outcome="failed", lesson=f"drop {secret}"
    )
    bare = secret.removeprefix("Authorization: Bearer ").removeprefix("postgres://u:").removesuffix("@h/db")
    assert bare not in said.memory.text.replace("password", "")
    assert "[redacted:" in said.memory.text
    assert "The staging login is" in said.memory.text
    assert sum(said.redacted.values()) >= 2
    assert "secrets were taken out before storing" in said.notes[0]
    if bare != "pw":
        stored = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("memory.db*"))
        assert bare.encode() not in stored


@pytest.mark.parametrize(
    "text",
    [
        SECRETS["anthropic"],
        SECRETS["header"],
        KEY_BLOCK,
        f"export GITHUB_TOKEN={SECRETS['github']}",
        f'API_KEY: "{SECRETS["anthropic"]}"',
        f"{SECRETS['github']}\n{SECRETS['aws']}\n",
    ],
)
def test_nothing_but_a_secret_is_refused(fabric: Fabric, text: str) -> None:
    """F-CMD-6."""
    with pytest.raises(UsageError, match="nothing but a secret"):
        fabric.remember(text)
    assert fabric.store.count() == 0
    assert fabric.census().entities == {}


def test_the_kind_of_a_secret_names_nothing(fabric: Fabric, shop: str) -> None:
    said = fabric.remember(f"Rotate {SECRETS['anthropic']} with Redis", cwd=shop)
    assert names(said.new_entities) == {"Redis"}


def test_text_is_data_whatever_it_looks_like(fabric: Fabric, shop: str) -> None:
    """C-115."""
    hostile = "x' OR 1=1 --; DROP TABLE memories; %_ \" {scope}"
    said = fabric.remember(hostile, cwd=shop, agent="a') --", source="'; DROP TABLE x")
    assert fabric.get(said.ids)[0].text == hostile
    assert said.agent == "a') --"
    assert fabric.store.check() == []


# ── twice, alike, opposite ───────────────────────────────────────────────────────────────────────────────────────────


def means(fabric: Fabric, around: Around = Around()) -> Means:
    """Remembering with nothing found and nothing near."""
    return Means(
        fabric.store, fabric.lexicon, redact, lambda _memory, _project: Extraction(), lambda _memory: around,
        lambda _memories: None,
    )  # fmt: skip


def test_two_notes_of_one_moment_are_two(fabric: Fabric) -> None:
    """C-062."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    first = remember(Wish("The port is 8080"), means(fabric), now)
    second = remember(Wish("The port is 8081"), means(fabric), now)
    assert first.ids != second.ids
    assert fabric.store.count() == 2


def test_the_same_words_again_are_found_and_not_stored_twice(fabric: Fabric, shop: str, other: str) -> None:
    first = fabric.remember("Use pnpm here", cwd=shop)
    again = fabric.remember(" use PNPM\nhere ", cwd=shop)
    assert (first.status, again.status) == (Status.STORED, Status.DUPLICATE)
    assert again.ids == first.ids
    assert again.memory.text == "Use pnpm here"
    assert again.new_entities == ()
    assert fabric.store.count() == 1
    elsewhere = [fabric.remember("Use pnpm here", cwd=other), fabric.remember("Use pnpm here", everywhere=True)]
    assert [each.status for each in elsewhere] == [Status.STORED, Status.STORED], "another project is another note"


def test_said_again_completes_what_was_cut_short(fabric: Fabric, shop: str) -> None:
    """A note that was stored, but did not become an observation before its process died."""

    class Dying(SqliteStore):
        def observe(self, memory: MemoryId, entities: Sequence[str], text: str, at: datetime) -> None:  # noqa: ARG002
            raise StoreUnavailable("the process died here")

    with Dying.open(fabric.settings.store) as dying, pytest.raises(StoreUnavailable):
        remember(Wish("Redis is the cache"), replace(fabric._remembering, store=dying), utcnow())
    assert fabric.store.count() == 1
    assert [node.observations for node in fabric.knowledge.open_nodes(["Redis"]).nodes] == [()]
    again = fabric.remember("Redis is the cache", everywhere=True)
    assert again.status is Status.DUPLICATE
    assert fabric.knowledge.open_nodes(["Redis"]).nodes[0].observations == ("Redis is the cache",)


def test_notes_that_two_programs_write_at_once_are_all_kept_and_equal_ones_once(open_fabric: OpenFabric) -> None:
    """C-062, as C-044 has it for observations."""
    both = open_fabric(), open_fabric()
    texts = [f"Redis keeps shard number {number}" for number in range(24)] + ["The same words of Redis"] * 8
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda job: both[job[0] % 2].remember(job[1], everywhere=True), enumerate(texts)))
    assert both[0].store.count() == 25
    assert len({each.memory.id for each in said}) == 25
    assert len(both[0].knowledge.open_nodes(["Redis"]).nodes[0].observations) == 25
    assert both[0].store.check() == []


def test_a_note_that_says_nearly_the_same_is_shown_and_both_are_kept(fabric: Fabric, shop: str) -> None:
    first = fabric.remember("Always run the migrations before the tests", cwd=shop)
    second = fabric.remember("Always run the migrations before all the tests", cwd=shop)
    assert second.status is Status.STORED
    assert [memory.id for memory in second.similar] == [first.memory.id]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The API port is 8080 in staging", "The API port is 8081 in staging"),
        ("We pinned React at v1.2.3 in the shop", "We pinned React at v1.2.30 in the shop"),
        ("Always rebase before a merge", "Never rebase before a merge"),
        ("Use tabs in the shop code", "Do not use tabs in the shop code"),
        ("We prefer Redis over Memcached here", "We prefer Memcached over Redis here"),
    ],
)
def test_what_differs_in_a_digit_or_in_polarity_is_not_alike(fabric: Fabric, shop: str, left: str, right: str) -> None:
    """C-140, C-141: both are kept, and neither is held to be the other."""
    fabric.remember(left, cwd=shop)
    said = fabric.remember(right, cwd=shop)
    assert said.status is Status.STORED
    assert said.similar == ()
    assert fabric.store.count() == 2


def test_do_not_forget_asks_for_the_same_thing(fabric: Fabric, shop: str) -> None:
    """C-141."""
    fabric.remember("Use tabs in the code of the shop", cwd=shop)
    assert len(fabric.remember("Do not forget to use tabs in the code of the shop", cwd=shop).similar) == 1


def test_the_opposite_outcome_is_asked_about_before_it_is_stored(fabric: Fabric, shop: str) -> None:
    """F-CMD-4."""
    first = fabric.remember("Offset pagination timed out on large tables", cwd=shop, outcome="failed")
    held = fabric.remember("Offset pagination is fine on large tables", cwd=shop, outcome="success")
    assert (held.status, held.ids) == (Status.CONTRARY, ())
    assert [memory.id for memory in held.contrary] == [first.memory.id]
    assert fabric.store.count() == 1
    meant = fabric.remember("Offset pagination is fine on large tables", cwd=shop, outcome="success", confirmed=True)
    assert meant.status is Status.STORED
    assert fabric.store.count() == 2


def test_the_same_words_with_the_opposite_outcome_are_another_note(fabric: Fabric, shop: str) -> None:
    fabric.remember("Blue-green deploys with Kubernetes", cwd=shop, outcome="success")
    held = fabric.remember("Blue-green deploys with Kubernetes", cwd=shop, outcome="failed")
    assert held.status is Status.CONTRARY
    stored = fabric.remember("Blue-green deploys with Kubernetes", cwd=shop, outcome="failed", confirmed=True)
    assert stored.status is Status.STORED


def test_another_subject_or_no_outcome_is_never_contrary(fabric: Fabric, shop: str) -> None:
    fabric.remember("Offset pagination timed out on large tables", cwd=shop, outcome="failed")
    assert fabric.remember("Feature flags made the release calm", cwd=shop, outcome="success").contrary == ()
    assert fabric.remember("Offset pagination on large tables, again", cwd=shop).contrary == ()


def test_another_projects_notes_are_neither_alike_nor_contrary(fabric: Fabric, shop: str, other: str) -> None:
    """C-148."""
    fabric.remember("Offset pagination timed out on large tables", cwd=other, outcome="failed")
    said = fabric.remember("Offset pagination timed out on all large tables", cwd=shop, outcome="success")
    assert (said.status, said.similar, said.contrary) == (Status.STORED, (), ())


# ── where it belongs ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_global_note_is_found_in_every_project_and_another_projects_is_not(
    fabric: Fabric, shop: str, other: str
) -> None:
    """F-CMD-3, C-148."""
    fabric.remember("Xylographers sign their commits", cwd=other)
    everywhere = fabric.remember("Wallabies sign their commits", everywhere=True, cwd=other)
    fabric.remember("Something of the shop", cwd=shop)
    scope, _ = fabric.scope(cwd=shop)
    found = [each.candidate.memory for each in fabric.search("who signs commits?", scope, mode=Mode.TEXT).results]
    assert [memory.id for memory in found] == [everywhere.memory.id]
    assert everywhere.memory.project is None


def test_a_project_can_be_named_when_it_is_known_and_only_then(
    fabric: Fabric, shop: str, other: str, tmp_path: Path
) -> None:
    fabric.remember("First", cwd=shop)
    said = fabric.remember("Second", cwd=other, project="SHOP")
    assert said.project is not None
    assert said.project.root == shop
    with pytest.raises(UsageError, match="project 'nowhere' is not known"):
        fabric.remember("Third", cwd=shop, project="nowhere")
    twin = tmp_path / "elsewhere" / "shop"
    (twin / ".git").mkdir(parents=True)
    (twin / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    fabric.remember("Fourth", cwd=str(twin))
    with pytest.raises(UsageError, match="several projects") as refused:
        fabric.remember("Fifth", cwd=other, project="shop")
    assert shop in refused.value.hint
    assert str(twin) in refused.value.hint
    assert fabric.remember("Fifth", cwd=other, project=shop).project == said.project


def test_the_current_directory_is_the_default(fabric: Fabric, shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)
    said = fabric.remember("Here")
    assert said.project is not None
    assert said.project.root == shop


# ── long, odd, failing ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("length", "parts"), [(PART - 1, 1), (PART, 1), (PART + 1, 2)])
def test_a_text_above_the_limit_is_kept_in_parts_and_said_so(fabric: Fabric, length: int, parts: int) -> None:
    """F-ERR-7, at 2,000 characters, one below and one above."""
    assert PART == 2000
    text = ("wörd " * 500)[: length - 1] + "x"
    said = fabric.remember(text, everywhere=True)
    assert len(said.ids) == parts
    assert [note for note in said.notes if "stored whole" in note] == (
        [f"the text has {length:,} characters: stored whole, in 2 parts"] if parts == 2 else []
    )
    kept = fabric.get(said.ids)
    assert "".join("".join(memory.text.split()) for memory in kept) == "".join(text.split())
    assert [memory.origin.session for memory in kept] == [f"note:{said.ids[0]}"] * parts


def test_the_end_of_a_long_note_is_found_like_its_beginning(open_fabric: OpenFabric) -> None:
    """C-069: 20,000 words, a word of its own at the end; by its words and by its vectors."""
    fabric = open_fabric(embedder="hashed")
    text = "The quick brown fox jumps over the lazy dog. " * 2_222 + "At last the xylophone plays."
    said = fabric.remember(text, everywhere=True)
    assert len(said.ids) > 40
    for mode in (Mode.TEXT, Mode.VECTOR):
        found = fabric.search("At last the xylophone plays", mode=mode).results
        assert found[0].candidate.memory.id == said.ids[-1], mode
    assert fabric.remember(text, everywhere=True).status is Status.DUPLICATE


def test_lone_surrogates_are_repaired(fabric: Fabric) -> None:
    said = fabric.remember("broken \ud83d emoji", everywhere=True)
    assert fabric.get(said.ids)[0].text == "broken \ufffd emoji"


def test_a_note_in_which_nothing_is_found_is_kept_with_a_decision(fabric: Fabric, shop: str) -> None:
    """F-ERR-9."""
    said = fabric.remember("keep the kettle on", cwd=shop)
    assert [(entity.name, entity.label) for entity in said.new_entities] == [("keep the kettle on", "decision")]
    assert fabric.knowledge.open_nodes(["keep the kettle on"]).nodes[0].observations == ("keep the kettle on",)


def test_what_was_forgotten_and_is_said_again_lives_again(fabric: Fabric, shop: str) -> None:
    """Explicit writing lifts the tombstones of the memory and of what it names."""
    said = fabric.remember("Zebras use Redis", cwd=shop)
    fabric.forget([str(said.memory.id)])
    fabric.knowledge.delete_nodes(["Redis"])
    again = fabric.remember("Zebras use Redis", cwd=shop)
    assert again.status is Status.STORED
    assert fabric.get(again.ids)
    assert "Zebras use Redis" in fabric.knowledge.open_nodes(["Redis"]).nodes[0].observations


def test_an_id_depends_on_words_project_outcome_and_part() -> None:
    base = note_id("some words", "p1", None)
    assert note_id("Some  WORDS", "p1", None) == base
    others = {
        note_id("some word", "p1", None),
        note_id("some words", "p2", None),
        note_id("some words", None, None),
        note_id("some words", "p1", Outcome.FAILED),
        note_id("some words", "p1", None, 1),
    }
    assert len(others) == 5
    assert base not in others


# ── vectors ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_note_is_embedded_when_it_is_written(open_fabric: OpenFabric, shop: str) -> None:
    """F-VEC-7: it, and not everything else that waits."""
    open_fabric().remember("An older note that waits", cwd=shop)
    fabric = open_fabric(embedder="hashed")
    said = fabric.remember("A new note", cwd=shop)
    assert said.notes == ()
    assert fabric.embedder is not None
    assert [memory.text for memory in fabric.store.pending(fabric.embedder.space, 9)] == ["An older note that waits"]


def test_a_note_waits_for_its_vectors_where_the_embedder_fails_and_says_so(fabric: Fabric, shop: str) -> None:
    """F-VEC-7, F-ERR-13: kept, queued by having none, told."""
    from memory_fabric.embed.backfill import embed_now
    from memory_fabric.embed.hashed import HashedEmbedder

    class Broken(HashedEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002
            raise EmbedderUnavailable("minilm: the model file is damaged", "reinstall")

    said = fabric.remember("Words without vectors", cwd=shop)
    broken = Broken(32)
    why = embed_now(fabric.store, broken, [said.memory])
    assert why is not None
    assert "the model file is damaged" in why
    assert "memory-fabric ingest" in why
    assert [memory.id for memory in fabric.store.pending(broken.space, 9)] == [said.memory.id]


def test_what_the_embedder_says_stands_among_the_notes(fabric: Fabric) -> None:
    silent = means(fabric)
    failing = Means(
        silent.store, silent.lexicon, silent.redact, silent.extract, silent.look_around,
        lambda memories: f"{len(memories)} must wait",
    )  # fmt: skip
    said = remember(Wish("Words"), failing, datetime(2026, 5, 1, tzinfo=UTC))
    assert said.notes == ("1 must wait",)
    assert fabric.store.count() == 1


def test_notes_come_back_with_an_export(fabric: Fabric, open_fabric: OpenFabric, shop: str) -> None:
    said = fabric.remember("Offset pagination failed with Redis", cwd=shop, outcome="failed")
    copy = open_fabric(home="copy")
    copy.restore(fabric.export())
    assert copy.get(said.ids) == fabric.get(said.ids)
