"""What the lexicon finds in a text, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric import lexicon
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.vocabulary import Kind

LEXICON: Lexicon = lexicon.load()


def found(text: str) -> list[str]:
    return [spotted.canonical for spotted in LEXICON.spot(text)]


def test_the_acceptance_sentence_yields_an_agent_a_technology_and_a_pattern() -> None:
    """F-EXTR-1."""
    spotted = LEXICON.spot("database-engineer uses pgvector for RAG applications")
    assert [(s.name, s.kind, s.label) for s in spotted] == [
        ("database-engineer", Kind.PERSON, "agent"),
        ("pgvector", Kind.TECHNOLOGY, "technology"),
        ("RAG", Kind.CONCEPT, "pattern"),
    ]


def test_a_name_inside_a_word_is_not_found() -> None:
    """F-PARSE-4: ``react`` stood in "reactive"."""
    assert found("a reactive, predjangoed pageant of unflasked gitlike things") == []


@pytest.mark.parametrize("spelling", ["next.js", "Next.js", "nextjs", "next js", "NEXT-JS", "next_js"])
def test_separators_inside_a_term_are_interchangeable(spelling: str) -> None:
    assert found(f"built on {spelling} today") == ["nextjs"]


@pytest.mark.parametrize("spelling", ["Redis", "redis", "REDIS ", "ＲＥＤＩＳ"])
def test_letter_case_and_width_do_not_split_a_name(spelling: str) -> None:
    """C-050."""
    assert found(spelling) == ["redis"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pgvector", ["pgvector"]),
        ("oauth2", ["oauth2"]),
        ("react-native and react", ["react-native", "react"]),
        ("django-rest-framework", ["django-rest-framework"]),
        ("docker compose up, docker run", ["docker-compose", "docker"]),
    ],
)
def test_the_longest_match_wins(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let's go ahead and go home", []),
        ("Go modules are versioned", ["go"]),
        ("run `go test ./...`", ["go"]),
        ("see go.mod", ["go"]),
        ("written in golang", ["go"]),
        ("the rest of it", []),
        ("a REST interface", ["rest"]),
        ("a rest API", ["rest"]),
        ("Express yourself", []),
        ("express yourself with React", ["react"]),
        ("Express, React", ["express", "react"]),
        ("Express 4.18", ["express"]),
        ("`express`", ["express"]),
        ("make it work with Redis", ["redis"]),
        ("`make` builds it", ["make"]),
        ("chroma subsampling", []),
        ("stored in Chroma", ["chroma"]),
        ("Swift action", []),
        ("written in Swift", ["swift"]),
        ("ts and js", []),
        ("TS and JS", ["typescript", "javascript"]),
        ("app.ts", ["typescript"]),
        ("np pd", []),
        ("`np` `pd`", ["numpy", "pandas"]),
        ("claude said so, the cursor moved", []),
        ("Claude Code and the Cursor IDE", ["claude-code", "cursor"]),
        ("I read the file, edit it, then write the task in bash", []),
        ("I read through the code", []),
        ("a read-through cache", ["read-through"]),
        ("a fast API", []),
        ("`node_modules` and NODE_ENV, JS_FILES beside React", ["react"]),
        ("run it with Node", ["nodejs"]),
        ("fast-api", ["fastapi"]),
    ],
)
def test_everyday_words_need_a_second_cue(text: str, expected: list[str]) -> None:
    """vocabulary.md §1.11: the cue present and absent."""
    assert found(text) == expected


def test_signs_of_c_sharp_and_c_plus_plus_belong_to_the_name() -> None:
    spotted = LEXICON.spot("C# or C++, but c and c+ are not")
    assert [(s.name, s.canonical) for s in spotted] == [("C#", "csharp"), ("C++", "cpp")]


def test_a_hyphenated_word_is_an_agent_only_with_an_actor_noun() -> None:
    """F-EXTR-3: every hyphenated word became an agent."""
    assert found("backend-architect, cursor-pagination, well-known, query-builder, non-developer") == [
        "backend-architect",
        "cursor-pagination",
    ]
    assert LEXICON.is_agent("payment-flow-auditor")
    assert LEXICON.is_agent("market-intelligence")
    assert not LEXICON.is_agent("a-b-c-engineer")
    assert not LEXICON.is_agent("well-known")
    assert not LEXICON.is_agent("engineer")
    assert not LEXICON.is_agent("cursor-pagination")


def test_an_adjective_makes_a_pattern() -> None:
    """F-TRAV-6: ``cursor-pagination uses offset-based approach``."""
    assert found("an offset-based approach") == ["offset-based approach"]
    assert found("cursor-based pagination") == ["cursor-pagination"]
    assert found("based approach") == []


def test_names_stand_out_of_text_without_spaces() -> None:
    """C-057."""
    assert found("PostgreSQLに決めました。MongoDBではなく") == ["postgresql", "mongodb"]
    assert found("अनीता uses Postgres") == ["postgresql"]
    assert found("Инна любит pytest") == ["pytest"]


def test_display_names_and_ids_share_one_key() -> None:
    """A display form that folds otherwise than its canonical name would split the entity (F-EXTR-13)."""
    from memory_fabric.text import entity_key

    assert [t for t in LEXICON.names.values() if entity_key(t.display) != entity_key(t.canonical)] == []


def test_every_alias_leads_to_its_term() -> None:
    for term in set(LEXICON.names.values()):
        for alias in term.aliases:
            assert LEXICON.term(alias) == term, alias


@given(st.text(alphabet=st.sampled_from(list("Redis REDIS go-_.,\n`ﬁßİé日本प्र🙂0123")), max_size=60))
def test_places_always_point_at_the_name(text: str) -> None:
    last = -1
    for spotted in LEXICON.spot(text):
        assert text[spotted.start : spotted.end] == spotted.name
        assert spotted.start >= last
        last = spotted.end


@given(st.sampled_from(["Redis", "FastAPI", "cursor-pagination", "database-engineer"]), st.text(max_size=20))
def test_a_name_between_spaces_is_found_whatever_stands_around(name: str, noise: str) -> None:
    assert name in [spotted.name for spotted in LEXICON.spot(f"{noise} , {name} , {noise}")]
