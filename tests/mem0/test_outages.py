"""Every way in which mem0's cloud can fail is one line with a remedy, inside the deadline (F-SRC-5, F-ERR-1)."""

from __future__ import annotations

import socket

import pytest
from tests.mem0.conftest import LONG, Pauses
from tests.mem0.server import KEY, Fault, Platform

from memory_fabric.clock import Deadline
from memory_fabric.errors import ConfigError, DeadlinePassed, SourceUnavailable
from memory_fabric.sources.mem0.backend import Who
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.http import ATTEMPTS, Access, NotThere, Transport

pytestmark = pytest.mark.sockets

SHOP = Who(("shop-decisions",))
BUSY = Fault(429, b'{"detail": "Request was throttled."}', headers=(("Retry-After", "2"),))
DOWN = Fault(502, b"<html>Bad gateway</html>", "text/html")


def backend(url: str, pauses: Pauses | None = None, *, key: str = KEY, **owner: str | None) -> CloudMem0:
    waited: Pauses = [] if pauses is None else pauses
    return CloudMem0(Transport("mem0", Access(key, url, owner.get("org"), owner.get("project")), waited.append))


def search(cloud: CloudMem0, deadline: Deadline = LONG) -> list[str]:
    return [str(item["memory"]) for item in cloud.search("redis", SHOP, 5, deadline).items]


def failure(cloud: CloudMem0, deadline: Deadline = LONG) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        search(cloud, deadline)
    cloud.close()
    assert KEY not in caught.value.message + caught.value.hint
    assert "\n" not in caught.value.message
    return caught.value


def test_nobody_there(pauses: Pauses) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    error = failure(backend(url, pauses))
    assert error.message.startswith(f"mem0: {url} cannot be reached")
    assert error.hint
    assert pauses == [0.2, 0.4, 0.8]


def test_a_wrong_key_names_the_variable_and_is_not_tried_again(platform: Platform, pauses: Pauses) -> None:
    error = failure(backend(platform.url, pauses, key="m0-wrong-key"))
    assert error.message == "mem0: refused the key (401): Invalid API key"
    assert "MEM0_API_KEY" in error.hint
    assert len(platform.asked) == 1
    assert pauses == []


@pytest.mark.parametrize("access", [{"org": "org-other"}, {"project": "proj-other"}])
def test_another_organisation_or_project_is_refused(platform: Platform, access: dict[str, str]) -> None:
    cloud = backend(platform.url, None, **access)
    with pytest.raises(SourceUnavailable, match=r"refused the key \(403\)"):
        cloud.product(LONG)
    assert "MEM0_PROJECT_ID" in failure(cloud).hint


def test_organisation_and_project_go_with_every_request(platform: Platform) -> None:
    cloud = backend(platform.url, org="org-shop", project="proj-shop")
    record = platform.keep("Sessions are in Redis", user_id="shop-decisions")
    assert search(cloud) == ["Sessions are in Redis"]
    cloud.get(record, LONG)
    cloud.delete(record, LONG)
    cloud.close()
    sent = [{**each.query, **each.body} for each in platform.asked]
    assert [(each["org_id"], each["project_id"]) for each in sent] == [("org-shop", "proj-shop")] * 3


def test_too_many_requests_then_well(platform: Platform, pauses: Pauses) -> None:
    """It waits as long as the server says."""
    platform.keep("Sessions are in Redis", user_id="shop-decisions")
    platform.faults.extend([BUSY, DOWN])
    cloud = backend(platform.url, pauses)
    assert search(cloud) == ["Sessions are in Redis"]
    cloud.close()
    assert pauses == [2.0, 0.4]


@pytest.mark.parametrize(("fault", "said"), [(BUSY, "too many requests (429)"), (DOWN, "failed on its side (502)")])
def test_it_gives_up_after_a_few_attempts(platform: Platform, fault: Fault, said: str) -> None:
    platform.faults.extend([fault] * 20)
    assert said in failure(backend(platform.url)).message
    assert len(platform.asked) == ATTEMPTS


def test_no_attempt_is_waited_for_beyond_the_deadline(platform: Platform, pauses: Pauses) -> None:
    platform.faults.append(Fault(429, headers=(("Retry-After", "30"),)))
    error = failure(backend(platform.url, pauses), Deadline.after(20.0))
    assert "429" in error.message
    assert pauses == []


def test_a_server_that_says_nothing_ends_with_the_deadline(platform: Platform) -> None:
    platform.faults.append(Fault(silent=True))
    cloud = backend(platform.url)
    with pytest.raises(DeadlinePassed, match="mem0: did not answer in time"):
        search(cloud, Deadline.after(0.3))
    cloud.close()


def test_nothing_is_asked_once_the_deadline_has_passed(platform: Platform) -> None:
    with pytest.raises(DeadlinePassed):
        search(backend(platform.url), Deadline.after(0.0))
    assert platform.asked == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(raw=b'{"results": [', kind="application/json"), "no JSON (application/json)"),
        (Fault(raw=b"<html><body>Log in</body></html>", kind="text/html; charset=utf-8"), "no JSON (text/html"),
        (Fault(raw=b"\xff\xfe\x00", kind="application/json"), "no JSON"),
        (Fault(raw=b'{"hello": 1}'), "in a shape that is not known"),
        (Fault(raw=b'{"results": [1, 2]}'), "in a shape that is not known"),
        (Fault(raw=b""), "in a shape that is not known"),
        (Fault(302, headers=(("Location", "http://127.0.0.1:1/"),)), "answered 302"),
        (Fault(404, b"<html>no such page</html>", "text/html"), "404"),
        (Fault(400, b'{"detail": "' + KEY.encode() + b' is no filter"}'), "did not take the request (400): … is no"),
        (Fault(422, b"[]"), "did not take the request (422)"),
    ],
)
def test_what_is_no_answer_is_told_in_a_line(platform: Platform, fault: Fault, said: str) -> None:
    platform.faults.append(fault)
    assert said in failure(backend(platform.url)).message
    assert len(platform.asked) == 1


def test_an_answer_that_never_ends_is_cut_off(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_fabric.sources.mem0.http.MOST_BYTES", 1000)
    platform.faults.append(Fault(raw=b'{"results": []}' + b" " * 2000))
    assert "too large" in failure(backend(platform.url)).message


def test_a_write_is_repeated_only_where_it_cannot_have_happened(platform: Platform) -> None:
    """429 did nothing; after a 502 nobody knows, so the caller looks instead (``named``)."""
    cloud = backend(platform.url)
    platform.faults.append(BUSY)
    cloud.add("We page with cursors", "shop-decisions", {}, LONG)
    platform.faults.append(Fault(502, done=True))
    with pytest.raises(SourceUnavailable, match="502"):
        cloud.add("We cache in Redis", "shop-decisions", {"memory_fabric_key": "k"}, LONG)
    found = cloud.named("k", "shop-decisions", LONG)
    cloud.close()
    assert found is not None
    assert found["memory"] == "We cache in Redis"
    assert len(platform.memories) == 2


def test_what_is_kept_later_is_waited_for(platform: Platform, cloud: CloudMem0, pauses: Pauses) -> None:
    platform.lag = 3
    record = cloud.add("We page with cursors", "shop-decisions", {}, LONG)
    assert cloud.get(record, LONG)["memory"] == "We page with cursors"
    assert pauses == pytest.approx([0.1, 0.2])


def test_what_is_not_kept_in_time_is_no_success(platform: Platform, cloud: CloudMem0, pauses: Pauses) -> None:
    platform.lag = 1000
    now = iter(float(second) for second in range(1000))
    with pytest.raises(DeadlinePassed, match="has not kept it yet"):
        cloud.add("We page with cursors", "shop-decisions", {}, Deadline(12.0, lambda: next(now)))
    assert cloud.listed(SHOP, 10, LONG) == []


def test_what_the_platform_could_not_keep_is_told(platform: Platform, cloud: CloudMem0) -> None:
    platform.faults.extend([Fault(raw=b'{"event_id": "e1", "status": "PENDING"}'), Fault(raw=b'{"status": "FAILED"}')])
    with pytest.raises(SourceUnavailable, match="could not keep the memory"):
        cloud.add("We page with cursors", "shop-decisions", {}, LONG)


def test_an_unknown_id_is_not_an_outage_of_the_server(cloud: CloudMem0) -> None:
    with pytest.raises(NotThere):
        cloud.get("no/such?id", LONG)


def test_an_id_cannot_leave_its_place_in_the_path(platform: Platform, cloud: CloudMem0) -> None:
    """C-115: whatever it holds, it stays one segment."""
    with pytest.raises(NotThere):
        cloud.delete("../../batch", LONG)
    assert platform.paths() == ["DELETE /v1/memories/..%2F..%2Fbatch/"]


@pytest.mark.parametrize("host", ["http://api.mem0.ai", "http://10.0.0.7:8000", "ftp://127.0.0.1", "api.mem0.ai"])
def test_the_key_is_not_sent_unencrypted_over_the_net(host: str) -> None:
    if host.endswith("127.0.0.1"):
        assert failure(backend(host)).message
    else:
        with pytest.raises(ConfigError):
            backend(host)


def test_opening_opens_no_socket(platform: Platform) -> None:
    """C-118: only asking does."""
    cloud = backend(platform.url)
    cloud.close()
    assert platform.asked == []
