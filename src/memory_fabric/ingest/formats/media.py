"""Stubs for embedded media: what was there, never its bytes (formats.md §0 rule 9)."""

from __future__ import annotations

import base64
import binascii
import hashlib

_DIGEST = 16
"""Hexadecimal digits of the hash that are shown: enough to see that two are the same."""


def media_stub(kind: str, mime: str = "", data: str = "") -> str:
    """``[image image/png 48213 bytes sha256:0123456789abcdef]`` for base64 data; without data, what is known of it."""
    parts = [kind, mime]
    if data:
        content = _decoded(data)
        parts += [f"{len(content)} bytes", "sha256:" + hashlib.sha256(content).hexdigest()[:_DIGEST]]
    return "[" + " ".join(part for part in parts if part) + "]"


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return data.encode("utf-8", "replace")


def url_stub(kind: str, url: object) -> str:
    """The stub of an image or file given as an address: ``data:`` addresses become their size, others stay."""
    if not isinstance(url, str) or not url:
        return media_stub(kind)
    if not url.startswith("data:"):
        return media_stub(kind, url[:200])
    header, _, data = url.partition(",")
    return media_stub(kind, header.removeprefix("data:").partition(";")[0], data)
