"""Redaction (F-PRIV-1, C-110, C-112).  Every secret here is made up; none opens anything."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.ingest.redact import redact, redact_value

MIXED = "q7Rt2Zx9Lm4Wc8Vb1Np6Ks3Yd5Hf0Jg7Ta2Eu9Qo4Ri"  # 43 letters and digits, no word
HEX64 = "3b7e1c9a0d5f8264" * 4
BODY = (
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nq7Rt2Zx9Lm4Wc8Vb1Np6Ks3Yd5Hf0Jg7Ta2Eu9Qo4Ri12345678\nAb3=\n"
)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----"

TOKENS = {
    "anthropic-key": ["sk-ant-api03-" + "A" * 40, "sk-ant-oat01-" + MIXED + "-_AA"],
    "openai-key": ["sk-" + MIXED, "sk-proj-" + MIXED + "_-x", "sk-svcacct-" + MIXED, "sk-or-v1-" + HEX64],
    "github-token": [
        *(prefix + "a" * 36 for prefix in ("ghp_", "gho_", "ghs_", "ghu_", "ghr_")),
        "github_pat_11ABCDEFG0" + MIXED + "_" + MIXED,
    ],
    "gitlab-token": ["glpat-" + MIXED[:20], "gldt-" + MIXED[:20]],
    "aws-access-key": ["AKIA" + "B" * 16, "ASIA" + "Z2" * 8],
    "google-key": ["AIza" + MIXED[:35], "GOCSPX-" + MIXED[:28], "ya29.a0" + MIXED],
    "slack-token": ["xoxb-123456789012-" + MIXED[:24], "xapp-1-A0123456789-" + MIXED],
    "stripe-key": ["sk_live_" + MIXED[:24], "rk_test_" + MIXED[:24], "whsec_" + MIXED[:32]],
    "npm-token": ["npm_" + MIXED[:36]],
    "pypi-token": ["pypi-AgEIcHlwaS5vcmc" + MIXED],
    "huggingface-token": ["hf_" + MIXED[:34]],
    "sendgrid-key": [f"SG.{MIXED[:22]}.{MIXED}"],
    "groq-key": ["gsk_" + MIXED],
    "xai-key": ["xai-" + MIXED],
    "mem0-key": ["m0-" + MIXED[:40]],
    "digitalocean-token": ["dop_v1_" + HEX64],
    "vault-token": ["hvs." + MIXED],
    "age-key": ["AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2],
    "jwt": [f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{MIXED}"],
    "private-key": [PEM],
}
"""Kind → whole secrets of that kind; each must vanish wherever it stands."""

ALL_TOKENS = [(kind, secret) for kind, secrets in TOKENS.items() for secret in secrets]


@pytest.mark.parametrize(("kind", "secret"), ALL_TOKENS)
@pytest.mark.parametrize(
    "around", ["{}", "use {} here", "key={}.", '{{"a":"{}"}}', "`{}`", "\n{}\n", "鍵{}です", "({}),"]
)
def test_a_token_of_every_kind_is_named_and_gone(kind: str, secret: str, around: str) -> None:
    """C-110."""
    result = redact(around.format(secret))
    assert result.text == around.format(f"[redacted:{kind}]")
    assert result.counts == {kind: 1}


IN_CONTEXT = [
    ("postgres://u:pw@h/db", "postgres://u:[redacted:url-password]@h/db"),
    ("mysql://u:%40home$1@h/db", "mysql://u:[redacted:url-password]@h/db"),
    ("password='$ecret123'", "password='[redacted:password]'"),
    ("redis://:s3cret@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0"),
    ("https://bot:p@ss@host.example/x", "https://bot:[redacted:url-password]@host.example/x"),
    ("Authorization: Bearer abc.def.ghi1", "Authorization: Bearer [redacted:authorization]"),
    ('-H "authorization: Basic dTpwdw=="', '-H "authorization: Basic [redacted:authorization]"'),
    ('{"Authorization": "token abc1234567"}', '{"Authorization": "token [redacted:authorization]"}'),
    (f"sent bearer {MIXED} along", "sent bearer [redacted:authorization] along"),
    ("Cookie: sid=a1b2c3d4; theme=dark\nnext", "Cookie: [redacted:cookie]\nnext"),
    ("set-cookie: sid=a1b2c3d4; Path=/; HttpOnly", "set-cookie: [redacted:cookie]"),
    ("password=hunter2", "password=[redacted:password]"),
    ('password: "correct horse 7 staple"', 'password: "[redacted:password]"'),
    ("PGPASSWORD=rememberedphrase psql", "PGPASSWORD=[redacted:password] psql"),
    ("DB_PASSWORD=Tr0ub4dor&3x", "DB_PASSWORD=[redacted:password]&3x"),
    ("psql --password s3cr3tPw -h db", "psql --password [redacted:password] -h db"),
    ('api_key: "abc123def456"', 'api_key: "[redacted:secret]"'),
    ("SECRET_KEY=9d8f7a6b5c4d3e2f", "SECRET_KEY=[redacted:secret]"),
    ('os.environ["API_KEY"] = "abc123def456"', 'os.environ["API_KEY"] = "[redacted:secret]"'),
    (r"{\"client_secret\": \"a1b2c3d4e5f6\"}", r"{\"client_secret\": \"[redacted:secret]\"}"),
    ("?access_token=a1b2c3d4e5f6&page=2", "?access_token=[redacted:secret]&page=2"),
    (
        "aws_secret_access_key = wJq7Rt2Zx9Lm/K7Wc8Vb+1Np6Ks3Yd5Hf0Jg7Ta2E",
        "aws_secret_access_key = [redacted:aws-secret-key]",
    ),
    (f"the api token is {HEX64[:32]}.", "the api token is [redacted:secret]."),
    (f"encryption_key={HEX64}", "encryption_key=[redacted:secret]"),
    ("hooks.slack.com/services/T01234567/B01234567/q7Rt2Zx9", "hooks.slack.com/services/[redacted:slack-token]"),
]


@pytest.mark.parametrize(("text", "expected"), IN_CONTEXT)
def test_what_a_context_gives_away_is_taken_and_the_context_stays(text: str, expected: str) -> None:
    """C-110, F-PRIV-2."""
    assert redact(text).text == expected


NEAR_MISSES = [
    "9fceb02d0ae598e95dc970b74767f19372d61af8 fixes the parser",  # a git SHA
    "550e8400-e29b-41d4-a716-446655440000",
    'token: "550e8400-e29b-41d4-a716-446655440000"',
    f"sha256:{HEX64}  app.whl",
    "pip install scikit-learn sk-learn; class sk-spinner-double-bounce-large-container",
    "api_key: <your-api-key>",
    "API_KEY=$API_KEY",
    'api_key = os.environ["API_KEY"]',
    "apiKey: process.env.OPENAI_API_KEY_2",
    'password: "${DB_PASSWORD}"',
    'password: "%s", "password": "%(password)s", set PASSWORD=%PASSWORD%',
    'PASSWORD="$password" PASSWORD="$(cat file-1)"',
    "password = getpass()",
    'form["password"] = userPassword; connect(password=rememberedphrase)',
    r'[]byte("DB_PASSWORD=" + generatedPhrase), []byte(\"TOKEN=\" + token9abc1)',
    "password=args.password",
    "postgres://user:<password>@host/db",
    "postgres://user:${PASSWORD}@host/db",
    "http://localhost:3000/@vite/client",
    "https://cdn.example:443/react@18",
    "ssh://git@host.example:22/team/app.git",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "The Authorization: Basic authentication scheme",
    "a bearer of good news, bearer authentication is configured",
    "cookie: a small file; the Cookie header",
    'cookie = get_cookie(name="x")',
    "token: str",
    "max_tokens: 4096, input_tokens=128000",
    "token_count = 123456789",
    "token = generate_token(32)",
    "secret: projects/demo/secrets/db/versions/1",
    'token: "claude-3-5-sonnet-20241022"',
    "the password is wrong and the token was refreshed yesterday",
    "primary_key=user_id, foreign key: account_identifier",
    "ghp_short hf_hub_download npm_config_registry gsk_test github_pat_x",
    "AKIABBBB AKIA-and-more",
    "eyJhbGciOiJIUzI1NiJ9 is a header alone",
    "xoxb-… and xapp- prefixes, glpat-xyz, AIzaShort, SG.a.b, hvs.abc, ya29.x, GOCSPX-abc",
    'if "-----BEGIN PRIVATE KEY-----" in text:',
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC\n-----END PUBLIC KEY-----",
    "bypass: enabled1234, compass=north4567",
    "PWD=/home/user/app",
    "password: ********",
    "tokenizer=cl100k_base4",
    "sk_live_ and sk_test_ and whsec_ are prefixes; m0-short; xai-short; dop_v1_abc; AGE-SECRET-KEY-1ABC",
    "pypi-server-with-a-very-long-hyphenated-name",
    "xghp_" + "a" * 36,
]


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_only_resembles_a_secret_is_left_alone(text: str) -> None:
    """C-110, the other side: a memory full of marks is no memory."""
    result = redact(text)
    assert result.text == text
    assert result.counts == {}


def test_a_private_key_without_its_end_goes_as_far_as_it_looks_like_one() -> None:
    """C-110."""
    text = f"log:\n{PEM.partition('-----END')[0]}\nThe text goes on."
    assert redact(text).text == "log:\n[redacted:private-key]\n\nThe text goes on."


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n    ", "\n> ", '",\n"', "\n  12\u2192"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_private_key_is_found_however_its_lines_are_written(newline: str, ended: bool) -> None:
    text = PEM if ended else PEM.partition("-----END")[0].rstrip()
    result = redact(text.replace("\n", newline))
    assert result.text == "[redacted:private-key]"


def test_of_two_keys_in_a_row_each_is_one() -> None:
    assert redact(f"{PEM}\n{PEM}").counts == {"private-key": 2}


def test_a_token_under_a_telling_name_is_called_after_its_maker() -> None:
    secret = "sk-ant-api03-" + "A" * 40
    assert redact(f'ANTHROPIC_API_KEY="{secret}"').counts == {"anthropic-key": 1}
    assert redact(f"Authorization: Bearer {secret}").counts == {"anthropic-key": 1}


def test_a_token_after_a_long_name_with_underscores_is_found() -> None:
    text = "a_veryLongIdentifierName_ghp_" + "a" * 36
    assert redact(text).text == "a_veryLongIdentifierName_[redacted:github-token]"


def test_every_secret_of_a_text_is_counted_by_kind() -> None:
    text = " ".join(secret for _, secret in ALL_TOKENS)
    assert redact(text).counts == Counter(kind for kind, _ in ALL_TOKENS)


@pytest.mark.parametrize("secret", [text for text, _ in IN_CONTEXT[:1]] + [secret for _, secret in ALL_TOKENS])
def test_a_secret_is_gone_from_prompt_tool_input_and_title(secret: str) -> None:
    """C-110: the same function on every path."""
    tool = {"name": "Bash", "input": {"command": f"deploy {secret}", "env": [secret]}}
    for left in (redact(f"use {secret}").text, json.dumps(redact_value(tool)), redact(json.dumps(tool)).text):
        assert secret not in left
        assert "[redacted:" in left


def test_a_value_is_redacted_at_every_depth_and_by_its_fields_name() -> None:
    value = {
        "command": ["curl", "-H", "X-Api-Key: a1b2c3d4e5f6"],
        "env": {"DB_PASSWORD": "hunter2", "AWS_SECRET_ACCESS_KEY": "q7Rt2Zx9Lm4Wc8Vb", "DEBUG": "1", "NOTHING": None},
        "ghp_" + "a" * 36: 3,
        "count": 4.5,
        "token": "str",
        "flag": True,
    }
    counts: Counter[str] = Counter()
    assert redact_value(value, counts) == {
        "command": ["curl", "-H", "X-Api-Key: [redacted:secret]"],
        "env": {
            "DB_PASSWORD": "[redacted:password]",
            "AWS_SECRET_ACCESS_KEY": "[redacted:aws-secret-key]",
            "DEBUG": "1",
            "NOTHING": None,
        },
        "[redacted:github-token]": 3,
        "count": 4.5,
        "token": "str",
        "flag": True,
    }
    assert counts == {"secret": 1, "password": 1, "aws-secret-key": 1, "github-token": 1}


fragments = st.one_of(
    st.text(max_size=12),
    st.sampled_from([secret for _, secret in ALL_TOKENS]),
    st.sampled_from([text for text, _ in IN_CONTEXT] + NEAR_MISSES),
    st.sampled_from(
        [
            "password",
            "=",
            ": ",
            '"',
            "token",
            "://",
            "@",
            "Cookie",
            "a=b",
            "_",
            "sk-",
            "İ",
            "-----END",
            "[redacted:jwt]",
        ]
    ),
    st.text("abcXYZ019_-./=", max_size=40),
)


@given(st.lists(fragments, max_size=8).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert again.text == once.text
    assert again.counts == {}


@given(
    st.sampled_from(ALL_TOKENS),
    st.lists(fragments, max_size=4).map(" ".join),
    st.lists(fragments, max_size=4).map(" ".join),
)
def test_no_eight_characters_of_a_secrets_start_are_left(found: tuple[str, str], before: str, after: str) -> None:
    _, secret = found
    left = redact(f"{before} {secret} {after}").text
    tail = secret.removeprefix("-----BEGIN RSA PRIVATE KEY-----\n")
    assert left.count(tail[:8]) <= redact(before).text.count(tail[:8]) + redact(after).text.count(tail[:8])
    assert redact(f"{before} {secret} {after}").counts


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_metadata_keeps_its_shape(text: str) -> None:
    value = {"a": [text, {"b": text}], "n": 1}
    assert redact_value(value) == {"a": [redact(text).text, {"b": redact(text).text}], "n": 1}
    json.dumps(redact_value(value))


ADVERSARIAL = [
    "password=",
    'password="',
    "token ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 16 + "\n",
    "://a:",
    "://",
    "eyJ",
    "eyJaaaaaaaaaaa.",
    "sk-",
    "cookie=a=b;",
    "authorization: bearer ",
    "_aaaaaaaaaaaaaaaa",
    "A",
    " ",
    "--token",
    "\\",
    "İ",
    "secret" + " " * 50,
]


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_a_megabyte_made_to_be_slow_is_read_to_its_end(unit: str) -> None:
    """Linear time: with a quadratic pattern this would not come back."""
    text = unit * (1_000_000 // len(unit))
    assert not redact(text + " ghp_" + "a" * 36).text.endswith("a" * 8)


@pytest.mark.parametrize("length", [511, 512, 513, 5_000])
def test_a_long_secret_goes_whole(length: int) -> None:
    value = (MIXED * 200)[:length]
    assert redact(f'secret_key = "{value}" # end').text == 'secret_key = "[redacted:secret]" # end'
    assert redact(f"SECRET_KEY={value} end").text == "SECRET_KEY=[redacted:secret] end"
