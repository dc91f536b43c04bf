"""Codex messages as text: what the user or the agent said, without what was put around it (formats.md §3.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory_fabric.ingest.formats.claude_text import without_own_output
from memory_fabric.ingest.formats.media import url_stub

INJECTED = (
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<user_shell_command>",
    "<turn_aborted>",
    "<recommended_plugins>",
    "<hook_prompt",
    "<skill>",
    "<subagent_notification>",
    "<user_action>",
)
"""Beginnings of user items that no user wrote (formats.md §3.2)."""

_IMAGE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")
_IDE_WRAPPER = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_CWD = re.compile(r"<cwd>\s*(.+?)\s*</cwd>|^\s*-?\s*Current working directory:\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Said:
    """One message."""

    text: str
    key: str
    """Equal for copies of the message in different layers: no white space, no media."""
    environment: str = ""
    """An injected ``<environment_context>``, if there was one: old rollouts name the folder only there."""


def said(content: object, user: bool) -> Said:
    """What a message's content says; an empty text means that nothing of it is anybody's own words."""
    texts: list[str] = []
    media: list[str] = []
    environment = ""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and part.get("type") in ("input_image", "image", "local_image"):
            if part.get("image_url"):
                media.append(url_stub("image", part["image_url"]))
            continue
        text = _text(part)
        if user:
            if text.lstrip().startswith("<environment_context>"):
                environment = text
            text = own_words(text)
        else:
            text = without_own_output(text)
        if text.strip():
            texts.append(text.strip())
    joined = "\n\n".join(texts)
    return Said("\n\n".join([*texts, *media]), "".join(joined.split()), environment)


def own_words(text: str) -> str:
    """What the user wrote of a user item; empty for injected text."""
    body = text.lstrip()
    if body.startswith(INJECTED) or _IMAGE_TAG.fullmatch(text):
        return ""
    if body.startswith("#") and (wrapper := _IDE_WRAPPER.search(body)):
        body = body[wrapper.end() :]
    return without_own_output(body)


def folder_of(environment: str) -> str | None:
    """The working folder that an injected environment names."""
    found = _CWD.search(environment)
    return (found.group(1) or found.group(2)) if found else None


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or "encrypted_content" in part:
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""
