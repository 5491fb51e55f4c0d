"""What the layout search found, on the terminal: how many layouts, why some fell, and which stand beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.tables import print_table
from suanli.domain.workload import Offload, Recompute

if TYPE_CHECKING:
    from suanli.cli.texts import Voice
    from suanli.proposal.model import LayoutView, Option

__all__ = ["layout_text", "print_search"]


def layout_text(layout: LayoutView) -> str:
    """Return a layout as ``tp8 pp4 dp16 · v2 · b1``, what is usual left out."""
    sizes = [(name, int(getattr(layout, name))) for name in ("tp", "pp", "cp", "dp", "ep")]
    parts = [" ".join(f"{name}{size}" for name, size in sizes if size > 1 or name == "dp")]
    if layout.virtual_pipeline > 1:
        parts.append(f"v{layout.virtual_pipeline}")
    parts.append(f"b{layout.micro_batch_size}")
    if layout.recompute is not Recompute.NONE:
        layers = layout.recompute_layers
        parts.append(layout.recompute.value + (f" {layers}" if layers is not None else ""))
    if layout.shard_group is not None:
        parts.append(f"shard {layout.shard_group}")
    if layout.offload is not Offload.NONE:
        parts.append(f"offload {layout.offload.value}")
    if layout.loss_chunks > 1:
        parts.append(f"loss in {layout.loss_chunks}")
    return " · ".join(parts)


def print_search(option: Option, voice: Voice) -> None:
    """Print the layouts that none beats, and how many fell to each reason."""
    if not option.candidates:
        return
    rows = [
        (
            layout_text(point.layout),
            f"{point.accelerators:,}",
            f"{point.tokens_per_s:,f}",
            f"{point.step_s:f}",
            f"{point.memory_gb:f}",
            f"{point.memory_headroom * 100:.0f} %",
        )
        for point in option.pareto
    ]
    keys = ("layout", "accelerators", "rate", "step-s", "memory-gb", "headroom")
    print_table(
        tuple(voice(key) for key in keys),
        rows,
        title=voice("layouts", option.key, f"{option.candidates:,}"),
        right=range(1, len(keys)),
    )
    fallen = [
        f"{voice.word(f'fell-{reason}')} {count:,}" for reason, count in option.rejected.items() if count
    ]
    if fallen:
        click.echo(voice("fell", "; ".join(fallen)))
