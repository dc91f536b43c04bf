"""Who may ask over HTTP: checks of a request (C-101, C-102, C-103), the token, the address, the file that tells."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.doors.mcp.http.asking import LIMIT, MOST, Question, read_question
from memory_fabric.doors.mcp.http.guards import Guarded, Refusal, refusal
from memory_fabric.doors.mcp.http.loopback import PORT, Loopback, listen, loopback_address
from memory_fabric.doors.resident import NAME as RESIDENT
from memory_fabric.doors.resident import Resident, announced, find_resident, withdraw
from memory_fabric.doors.token import make_token, read_token
from memory_fabric.errors import StoreUnavailable, UsageError

TOKEN = "a-token-of-more-than-sixteen-characters"
DOOR = Loopback("127.0.0.1", 6322)
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes and process numbers as POSIX has them")
GONE = 2**22 + 1
"""No process has a number above the kernel's limit."""


def ask(method: str = "POST", path: str = "/api/search", **changed: str | None) -> Refusal | None:
    """A request that is in order but for what is changed; None leaves a header out."""
    headers: dict[str, str | None] = {
        "host": "127.0.0.1:6322",
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items() if value is not None]
    return refusal(method, path, raw, DOOR, TOKEN)


def status(method: str = "POST", path: str = "/api/search", **changed: str | None) -> int:
    refused = ask(method, path, **changed)
    return refused.status if refused else 200


@pytest.mark.parametrize("host", ["127.0.0.1:6322", "localhost:6322", "LOCALHOST:6322", "[::1]:6322"])
def test_a_loopback_name_with_our_port_is_a_host(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:6322",
        "127.0.0.1",
        "127.0.0.1:6323",
        "localhost",
        "localhost.evil.example:6322",
        "127.0.0.1:6322.evil.example",
        "user@127.0.0.1:6322",
        "0.0.0.0:6322",
        "",
        None,
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/api/search", "/health"])
def test_another_host_is_refused_whatever_it_asks_for(host: str | None, path: str) -> None:
    """C-101: a page reaches this machine under a name of its own (DNS rebinding)."""
    assert status("GET" if path == "/health" else "POST", path, host=host) == 403


def test_two_hosts_are_refused() -> None:
    raw = [(b"host", b"127.0.0.1:6322"), (b"host", b"evil.example")]
    refused = refusal("GET", "/health", raw, DOOR, TOKEN)
    assert refused is not None
    assert refused.status == 403


def test_port_80_need_not_be_named() -> None:
    raw = [(b"host", b"localhost")]
    assert refusal("GET", "/health", raw, Loopback("127.0.0.1", 80), TOKEN) is None


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://127.0.0.1:6322", 200),
        ("http://localhost:6322", 200),
        ("http://[::1]:6322", 200),
        ("https://evil.example", 403),
        ("http://localhost:3000", 403),
        ("https://localhost:6322", 403),
        ("http://localhost:6322.evil.example", 403),
        ("null", 403),
        ("", 403),
        (None, 200),
    ],
)
def test_only_our_own_origin_is_answered(origin: str | None, expected: int) -> None:
    """C-101, C-102."""
    assert status(origin=origin) == expected


@pytest.mark.parametrize(
    ("site", "expected"),
    [("cross-site", 403), ("same-site", 403), ("Cross-Site", 403), ("same-origin", 200), ("none", 200), (None, 200)],
)
def test_a_request_from_another_site_is_refused(site: str | None, expected: int) -> None:
    """C-102: browsers say where a request comes from even where they send no ``Origin``."""
    assert status(sec_fetch_site=site) == expected
    assert status("GET", "/health", sec_fetch_site=site) == expected


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/mcp", 200),
        ("GET", "/mcp", 200),
        ("DELETE", "/mcp", 200),
        ("PUT", "/mcp", 405),
        ("OPTIONS", "/mcp", 405),
        ("GET", "/api/search", 405),
        ("HEAD", "/api/search", 405),
        ("OPTIONS", "/api/search", 405),
        ("GET", "/api/delete", 405),
        ("DELETE", "/api/anything", 405),
        ("POST", "/api/delete", 404),
        ("GET", "/health", 200),
        ("HEAD", "/health", 200),
        ("POST", "/health", 405),
        ("GET", "/", 404),
        ("GET", "/.well-known/oauth-protected-resource", 404),
        ("GET", "/mcp/", 404),
    ],
)
def test_only_what_is_served_is_answered(method: str, path: str, expected: int) -> None:
    """C-103: nothing is changed by following a link."""
    assert status(method, path) == expected


def test_what_may_be_asked_is_named() -> None:
    refused = ask("GET")
    assert refused is not None
    assert refused.headers == (("allow", "POST"),)


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN} ", 200),
        (f"Basic {TOKEN}", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN.upper()}", 401),
        ("Bearer é", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        (TOKEN, 401),
        ("", 401),
        (None, 401),
    ],
)
def test_without_the_token_nothing_is_answered(authorization: str | None, expected: int) -> None:
    for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/api/search")):
        assert status(method, path, authorization=authorization) == expected
    assert status("GET", "/health", authorization=authorization) == 200


def test_the_missing_token_is_asked_for() -> None:
    refused = ask(authorization=None)
    assert refused is not None
    assert ("www-authenticate", "Bearer") in refused.headers
    assert TOKEN not in repr(refused)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/jsonp", 415),
        ("text/plain", 415),
        ("text/plain; application/json", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("", 415),
        (None, 415),
    ],
)
def test_a_body_that_a_form_could_send_is_refused(kind: str | None, expected: int) -> None:
    """C-103: forms of other pages can post, but not JSON."""
    assert status(content_type=kind) == expected
    assert status("POST", "/mcp", content_type=kind) == expected


def test_a_connection_that_is_no_request_is_a_fault() -> None:
    async def never(*_: Any) -> Any:
        raise AssertionError("asked")

    with pytest.raises(RuntimeError, match="websocket connections are switched off"):
        asyncio.run(Guarded(never, DOOR, TOKEN)({"type": "websocket"}, never, never))


# ── the address ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("127.8.9.1", "127.8.9.1"),
        ("::1", "::1"),
        ("[::1]", "::1"),
    ],
)
def test_a_loopback_address_may_be_named(host: str, address: str) -> None:
    assert loopback_address(host) == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "10.0.0.1", "example.com", "", "127.0.0.1:80"])
def test_any_other_address_is_refused(host: str) -> None:
    """C-101."""
    with pytest.raises(UsageError, match="not a loopback address"):
        loopback_address(host)


def test_names_of_a_door_hold_its_own_address() -> None:
    assert Loopback("127.8.9.1", 1).names[0] == "127.8.9.1:1"
    assert Loopback("::1", 1).url == "http://[::1]:1"
    assert PORT == 6322


def test_a_port_that_is_taken_is_told() -> None:
    from memory_fabric.doors.mcp.http.loopback import PortUnavailable

    with listen("127.0.0.1", 0) as opened:
        port = opened.getsockname()[1]
        with pytest.raises(PortUnavailable, match=f"127.0.0.1:{port}: another program listens there") as caught:
            listen("localhost", port)
    assert caught.value.exit_code == 3
    assert "--port" in caught.value.hint


# ── the token ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_is_made_once_and_kept(tmp_path: Path) -> None:
    assert read_token(tmp_path) is None
    token = make_token(tmp_path)
    assert re.fullmatch(r"[\w-]{43}", token)
    assert make_token(tmp_path) == token == read_token(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


@POSIX
def test_a_token_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    """C-117."""
    before = os.umask(0)
    try:
        make_token(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


@POSIX
def test_a_token_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o644)
    assert make_token(tmp_path) == TOKEN
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short", "two words that are long enough", "ü" * 20])
def test_a_file_that_holds_no_token_is_refused(tmp_path: Path, content: str) -> None:
    """An empty token would let in whoever sends an empty one."""
    (tmp_path / "token").write_text(content, encoding="utf-8")
    with pytest.raises(StoreUnavailable, match="token"):
        make_token(tmp_path)


def test_of_many_that_make_a_token_at_once_all_get_the_same(tmp_path: Path) -> None:
    tokens: list[str] = []
    start = threading.Barrier(8)

    def make() -> None:
        start.wait()
        tokens.append(make_token(tmp_path))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 8
    assert len(set(tokens)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be kept"):
        make_token(tmp_path / "none")


# ── the file that tells where the server is ──────────────────────────────────────────────────────────────────────


def resident(pid: int) -> Resident:
    return Resident(pid, "127.0.0.1", 6322, "2026-11-30T00:00:00+00:00")


def test_a_server_is_found_while_it_runs(tmp_path: Path) -> None:
    here = resident(os.getpid())
    assert find_resident(tmp_path) is None
    with announced(tmp_path, here):
        assert find_resident(tmp_path) == here
        assert json.loads((tmp_path / RESIDENT).read_text())["port"] == 6322
        if os.name == "posix":
            assert stat.S_IMODE((tmp_path / RESIDENT).stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_a_file_left_behind_by_a_killed_server_is_no_answer(tmp_path: Path) -> None:
    """Whoever has the port now must not be shown the token."""
    entered = announced(tmp_path, resident(GONE))
    entered.__enter__()
    assert (tmp_path / RESIDENT).exists()
    assert find_resident(tmp_path) is None
    with announced(tmp_path, resident(os.getpid())):
        assert find_resident(tmp_path) == resident(os.getpid())


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"pid": "x"}', '{"pid": -1, "host": "h", "port": 1, "started": ""}']
)
def test_a_file_that_cannot_be_read_is_no_answer(tmp_path: Path, content: str) -> None:
    (tmp_path / RESIDENT).write_text(content)
    assert find_resident(tmp_path) is None


def test_a_server_that_ends_leaves_the_file_of_a_later_one(tmp_path: Path) -> None:
    first, second = resident(os.getpid()), Resident(os.getpid(), "::1", 6323, "2026-11-30T00:00:01+00:00")
    with announced(tmp_path, first):
        entered = announced(tmp_path, second)
        entered.__enter__()
    assert json.loads((tmp_path / RESIDENT).read_text())["port"] == second.port
    withdraw(tmp_path, second)
    assert list(tmp_path.iterdir()) == []


# ── a question ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_question_is_read() -> None:
    assert read_question(b'{"query": "why"}') == Question("why", None, None, LIMIT)
    whole = b'{"query": "why", "project": "p", "cwd": "/c", "limit": 3}'
    assert read_question(whole) == Question("why", "p", "/c", 3)
    assert read_question(b'{"query": "q", "limit": 1}').limit == 1
    assert read_question(json.dumps({"query": "q", "limit": MOST}).encode()).limit == MOST


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not an object"),
        (b"{}", "query is missing"),
        (b'{"query": "  "}', "query is missing"),
        (b'{"query": 5}', "query is not a text"),
        (b'{"query": null}', "query is not a text"),
        (b'{"query": "q", "limit": 0}', "out of range"),
        (b'{"query": "q", "limit": 51}', "out of range"),
        (b'{"query": "q", "limit": true}', "limit is not a number"),
        (b'{"query": "q", "limit": 1.5}', "limit is not a number"),
        (b'{"query": "q", "cwd": []}', "cwd is not a text"),
        (b'{"query": "q", "top": 1}', "'top' is not known"),
    ],
)
def test_a_question_that_cannot_be_meant_says_why(body: bytes, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_question(body)
