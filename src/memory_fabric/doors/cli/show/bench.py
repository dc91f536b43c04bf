"""What ``bench`` measured, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_fabric.doors.cli.paint import Paint

STAGES = 8
"""Stages of a mode that are shown, the longest first; the data has them all."""


def bench_lines(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """A block a size, then what to know about the figures."""
    machine = found["machine"]
    yield (
        f"{found['date']}  version {found['version']}  {machine['processors']} processors  "
        f"load {machine['load_average']}  {found['rounds']} rounds of {found['queries']} questions a mode"
    )
    for size in found["sizes"]:
        yield ""
        yield paint.bold(f"{size['memories']:,} memories, {size.get('vectors', 0):,} vectors")
        yield from _search(size)
        yield from _stages(size)
        yield from _rest(size)
    yield ""
    yield from (f"- {note}" for note in found["notes"])


def _search(size: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {'search, ms':<22}{'p50':>8}{'p95':>8}{'p99':>8}{'processor p50':>16}"
    for name, mode in size["search"]["modes"].items():
        by_clock = "".join(f"{mode['ms'][share]:>8.1f}" for share in ("p50", "p95", "p99"))
        yield f"  {name:<22}{by_clock}{mode['cpu_ms']['p50']:>16.1f}"
    for name, limit in size["budget"].items():
        verdict = "kept" if limit["kept"] else "MISSED"
        yield f"  budget {name} < {limit['limit']:g} ms: {verdict} ({limit['measured']:g})"


def _stages(size: Mapping[str, Any]) -> Iterator[str]:
    name, mode = next(iter(size["search"]["modes"].items()))
    yield f"  {f'stages of {name}, ms':<32}{'p50':>8}{'p95':>8}"
    for stage, ms in list(mode["stages_ms"].items())[: STAGES + 1]:
        yield f"    {stage:<30}{ms['p50']:>8.2f}{ms['p95']:>8.2f}"


def _rest(size: Mapping[str, Any]) -> Iterator[str]:
    if "alone" in size:
        alone = {name: each["ms"]["p50"] for name, each in size["alone"].items() if isinstance(each, dict)}
        yield "  alone, p50: " + _listed({name.replace("_", " "): f"{value:.1f} ms" for name, value in alone.items()})
        yield "  times that: " + _listed(size["times_alone"])
    cold = {name: each["seconds"]["median"] for name, each in size["cold_start"].items() if name != "n"}
    yield "  process to first answer: " + _listed({name: f"{value:.2f} s" for name, value in cold.items()})
    yield "  ingest, memories a second: " + _listed(
        {name.replace("_", " "): each["memories_a_second"] for name, each in size["ingest"].items()}
    )
    store = size["store"]
    bare = store["bytes_a_memory_without_vectors"]
    yield f"  bytes a memory: {store.get('bytes_a_memory', bare):,.0f} ({bare:,.0f} without vectors)"
    if "lag_ms" in size:
        lag = {name: f"{each['median']:.0f} ms" for name, each in size["lag_ms"].items()}
        yield "  written to found: " + _listed(lag)
    if "while_embedding_ms" in size:
        busy = size["while_embedding_ms"]
        yield f"  while another thread embeds: p50 {busy['p50']:.0f} ms, p95 {busy['p95']:.0f} ms"
    yield "  peak memory: " + _listed({name: f"{value} MiB" for name, value in size["peak_rss_mebibytes"].items()})


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
