"""Secrets known by their own shape: tokens with a maker's prefix, private keys, credentials in addresses and headers.

Every pattern begins with a literal, which the matcher finds at memory speed, and repeats single classes only, so time
is linear.  Patterns take the whole run of characters that a token may hold, never a fixed length: nothing is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end, in characters."""


@dataclass(frozen=True, slots=True)
class TokenKind:
    """One kind of secret."""

    kind: str
    pattern: re.Pattern[str]
    """The group ``secret`` is the secret, or the whole match where there is no such group."""
    folded: bool = False
    """The pattern is lower case and looks at the lower-cased text."""

    def spans(self, text: str, lowered: str) -> Iterator[Span]:
        """Where such secrets stand: not inside a longer word, and not where a placeholder stands for one."""
        haystack = lowered if self.folded else text
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(haystack):
            start, end = match.span(group)
            if not is_inside_word(text, match.start()) and not is_placeholder(text[start:end]):
                yield start, end


def is_inside_word(text: str, at: int) -> bool:
    """Whether an ASCII letter or digit stands just before this place."""
    return at > 0 and text[at - 1].isascii() and text[at - 1].isalnum()


_PLACEHOLDER = re.compile(
    r"""[<{(\[]|\$(?:[A-Z_{(]|[a-z_]+\Z)|%(?:[sd(]|\w+%)|\*{2}|\\u003c|\.\.\.|…|x{4,}"""
    r"""|(?i:redacted|removed|masked|hidden|your|my[-_ ]|placeholder|change[-_]?me)"""
)
_STARS = re.compile(r"(?:\*{3}|•{3}|[xX]{3}|\.{3}|…)\Z")


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret and is none: ``<your-api-key>``, ``$API_KEY``, ``{token}``, ``****``."""
    return _PLACEHOLDER.match(value) is not None or _STARS.search(value) is not None


def _token(kind: str, pattern: str, *, folded: bool = False) -> TokenKind:
    return TokenKind(kind, re.compile(pattern), folded)


_RUN = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"

TOKEN_KINDS: tuple[TokenKind, ...] = (
    _token("anthropic-key", rf"sk-ant-{_RUN}{{16,}}"),
    _token("openai-key", rf"sk-(?:(?:proj|svcacct|admin|None|or-v1)-{_RUN}{{20,}}|(?!ant-){_ALNUM}{{20,}}{_RUN}*)"),
    _token("github-token", r"github_pat_[A-Za-z0-9_]{20,}"),
    _token("gitlab-token", rf"gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent)-{_RUN}{{20,}}(?:\.{_RUN}+)*"),
    _token("aws-access-key", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16,}"),
    _token("google-key", rf"AIza{_RUN}{{30,}}"),
    _token("google-key", rf"GOCSPX-{_RUN}{{20,}}"),
    _token("google-key", rf"ya29\.{_RUN}{{20,}}"),
    _token("slack-token", rf"xox[abeoprs][.-]{_RUN}{{10,}}"),
    _token("slack-token", rf"xapp-\d-{_RUN}{{10,}}"),
    _token("slack-token", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]{20,})"),
    _token("stripe-key", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _token("pypi-token", rf"pypi-AgE{_RUN}{{20,}}"),
    _token("sendgrid-key", rf"SG\.(?<![A-Za-z0-9]SG\.){_RUN}{{16,}}\.{_RUN}{{16,}}"),
    _token("xai-key", rf"xai-{_ALNUM}{{40,}}"),
    _token("mem0-key", rf"m0-{_ALNUM}{{30,}}"),
    _token("vault-token", rf"hv[sb]\.{_RUN}{{20,}}"),
    _token("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    _token("jwt", r"eyJ(?<![A-Za-z0-9]eyJ)[A-Za-z0-9_=-]{10,}\.[A-Za-z0-9_=-]{10,}(?:\.[A-Za-z0-9_=-]+){0,3}"),
    _token(
        "authorization",
        r"""authorization\\*["'`]?\s{0,4}[:=]\s{0,4}\\*["'`]?(?:bearer|basic|token|digest|apikey)\s{1,4}"""
        r"""(?P<secret>(?=[^\s"'`]{0,64}[\d.+/=_-]|[^\s"'`]{16})[a-z0-9._~+/=:-]{6,})""",
        folded=True,
    ),
    _token(
        "authorization",
        r"bearer\s{1,4}(?P<secret>(?=[a-z._~+/=-]{0,64}\d)[a-z0-9._~+/=-]{16,})",
        folded=True,
    ),
    _token(
        "cookie",
        r"""cookie\\*["'`]?\s{0,4}[:=]\s{0,4}\\*["'`]?"""
        r"""(?P<secret>[\w.-]{1,64}=[^\s;"'`,\\()]{4,}(?:;[ ]{0,2}[\w.-]+(?:=[^;"'`\r\n\\]*)?)*)""",
        folded=True,
    ),
)
"""Most telling first: where two overlap, the first names the kind."""

_URL_PASSWORD = re.compile(r"""://[^\s:/@"'<>\\]{0,256}:(?P<secret>[^\s/"'<>\\]{1,1024})@""")

_AFTER_UNDERSCORE = re.compile(rf"_{_ALNUM}{{16,}}")
_REST = re.compile(_RUN + "*")
_BEFORE_UNDERSCORE = {
    "ghp": ("github-token", 20),
    "gho": ("github-token", 20),
    "ghs": ("github-token", 20),
    "ghu": ("github-token", 20),
    "ghr": ("github-token", 20),
    "sk_live": ("stripe-key", 16),
    "sk_test": ("stripe-key", 16),
    "rk_live": ("stripe-key", 16),
    "rk_test": ("stripe-key", 16),
    "npm": ("npm-token", 30),
    "hf": ("huggingface-token", 30),
    "gsk": ("groq-key", 32),
    "dop_v1": ("digitalocean-token", 32),
    "doo_v1": ("digitalocean-token", 32),
    "dor_v1": ("digitalocean-token", 32),
}
"""Prefix → kind and least number of letters and digits after the underscore: one pass finds them all."""
_LONGEST_PREFIX = 8


def tokens(text: str, lowered: str) -> Iterator[tuple[str, Span]]:
    """Kind and place of every secret known by its shape; they may overlap, the most telling come first."""
    for token in TOKEN_KINDS:
        if token.pattern.search(lowered if token.folded else text):
            yield from ((token.kind, span) for span in token.spans(text, lowered))
    for match in _AFTER_UNDERSCORE.finditer(text):
        found = _prefixed(text, match)
        if found:
            yield found
    for match in _URL_PASSWORD.finditer(text):
        if not is_placeholder(match["secret"]):
            yield "url-password", match.span("secret")


def _prefixed(text: str, match: re.Match[str]) -> tuple[str, Span] | None:
    before = text[max(0, match.start() - _LONGEST_PREFIX) : match.start()]
    for prefix, (kind, least) in _BEFORE_UNDERSCORE.items():
        if before.endswith(prefix):
            start = match.start() - len(prefix)
            letters = len(match.group()) - 1
            rest = _REST.match(text, match.end())
            if rest and letters >= least and not is_inside_word(text, start):
                return kind, (start, rest.end())
    return None


_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINE = re.compile(
    r"""(?:[\s>|+"',\d:→]|\\[nrt"]){0,40}"""  # line ends and what viewers and string literals put before a line
    r"""(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Z][A-Za-z-]{2,20}:[ ][^\n\\"]{1,200}"""  # the key, or a header above it
    r"""|[A-Za-z0-9+/]{1,15}={0,2}(?=\s*(?:$|\n|\\n|["'])))"""  # its last line
)
_PEM_LONGEST = 20_000
"""Characters: RSA keys of 16,384 bits take 13,000."""


def private_keys(text: str) -> Iterator[Span]:
    """PEM and PGP private keys; one whose end is missing goes as far as its lines look like one."""
    start = 0
    while header := _PEM.search(text, start):
        start = _pem_end(text, header.end())
        if start > header.end():
            yield header.start(), start


def _pem_end(text: str, at: int) -> int:
    dashes = text.find("-----", at, at + _PEM_LONGEST)
    if dashes >= 0 and text.startswith("-----END", dashes):
        close = text.find("-----", dashes + 8, dashes + 80)
        return close + 5 if close >= 0 else dashes + 8
    while line := _PEM_LINE.match(text, at, at + _PEM_LONGEST):
        at = line.end()
    return at
