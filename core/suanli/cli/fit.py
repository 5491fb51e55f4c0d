"""``suanli fit``: does a model fit in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from suanli.cli import common
from suanli.cli.common import json_option

if TYPE_CHECKING:
    from suanli.estimation.results import Device, Infeasible, MemoryUse, Sizing

__all__ = ["command"]

_TASKS = ("pretrain", "full-finetune", "lora", "qlora")
_ANY_TOKENS = "1G"
"""Tokens of the run: a requirement has them, memory does not depend on them."""


@click.command("fit")
@click.option(
    "--model",
    required=True,
    metavar="ID|CONFIG|SIZE",
    help="Catalogue id, path to a config.json, or a parameter count such as 70B.",
)
@click.option("--accelerator", required=True, metavar="ID", help="Device.")
@click.option(
    "--accelerators", type=click.IntRange(1), help="Number of devices.  [default: the fewest whole servers]"
)
@click.option(
    "--task", type=click.Choice(_TASKS), default="pretrain", show_default=True, help="Kind of training."
)
@click.option("--sequence-length", metavar="TOKENS", help="Tokens per sequence.  [default: the scenario's]")
@click.option(
    "--global-batch-tokens", metavar="TOKENS", help="Tokens per optimizer step.  [default: the scenario's]"
)
@click.option(
    "--precision",
    type=click.Choice(["bf16", "fp16", "fp8"]),
    help="Number format.  [default: the scenario's]",
)
@click.option("--tp", type=click.IntRange(1), help="Tensor parallel size.  [default: searched]")
@click.option("--pp", type=click.IntRange(1), help="Pipeline stages.")
@click.option("--cp", type=click.IntRange(1), help="Context parallel size.")
@click.option("--ep", type=click.IntRange(1), help="Expert parallel size.")
@click.option("--micro-batch-size", type=click.IntRange(1), help="Sequences per micro-batch.")
@click.option(
    "--recompute", type=click.Choice(["none", "selective", "full"]), help="Activation recomputation."
)
@click.option("--zero-stage", type=click.IntRange(0, 3), help="ZeRO stage.")
@json_option
def command(*, as_json: bool, **flags: Any) -> None:  # noqa: ANN401 - the options above, by name
    """Tell whether a model fits on a number of devices, with what takes the memory and the layout."""
    from suanli.audit import fit  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.flags import requirement_from_flags  # noqa: PLC0415

    host = common.load_plugins()
    accelerator = str(flags["accelerator"])
    common.require_accelerator(accelerator, host, key="--accelerator")
    requirement = requirement_from_flags(_settings(flags), host, task=str(flags["task"]))
    device, result = fit(requirement, requirement.vendors.accelerators[0], host.catalogue)
    document = _document(device, result)
    if as_json:
        common.echo_json(document)
    else:
        _print(document)


def _settings(flags: dict[str, Any]) -> dict[str, object]:
    from suanli.cli.flags import model_setting  # noqa: PLC0415 - keeps --help fast

    count = flags["accelerators"]
    layout = ("tp", "pp", "cp", "ep", "micro_batch_size", "recompute", "zero_stage")
    return {
        "model": model_setting(flags["model"]),
        "workload.tokens": _ANY_TOKENS,
        "workload.sequence_length": flags["sequence_length"],
        "workload.global_batch_tokens": flags["global_batch_tokens"],
        "workload.precision": flags["precision"],
        "vendors.accelerators": f"[{flags['accelerator']}]",
        "cluster.accelerators": count,
        "workload.deadline": None if count else "100 years",
        **{f"layout.{name}": flags[name] for name in layout},
    }


def _document(device: Device | None, result: Sizing | Infeasible) -> dict[str, Any]:
    from suanli.estimation.results import Sizing  # noqa: PLC0415 - keeps --help fast

    names = {"accelerator": device.accelerator.id, "server": device.server.id} if device else {}
    if not isinstance(result, Sizing):
        remedies = [
            {"kind": str(one.kind), "value": one.value, "detail": one.detail} for one in result.remedies
        ]
        return {
            **names,
            "fits": False,
            "binding": str(result.constraint),
            "need": result.need,
            "have": result.have,
            "remedies": remedies,
        }
    layout = result.layout
    sizes = {
        name: int(getattr(layout, name))
        for name in ("tp", "pp", "cp", "dp", "ep", "micro_batch_size", "micro_batches")
    }
    return {
        **names,
        "fits": True,
        "accelerators": result.accelerators,
        "servers": result.nodes,
        "layout": {
            **sizes,
            "virtual_pipeline": layout.virtual_pipeline,
            "recompute": str(layout.recompute),
            "zero_stage": layout.zero_stage,
        },
        "memory_bytes": _memory(result.memory),
        "stack": result.device.stack.id,
    }


def _memory(use: MemoryUse) -> dict[str, Any]:
    parts = ("weights", "gradients", "optimizer", "activations", "logits", "buffers", "total", "usable")
    return {
        **{name: round(float(getattr(use, f"{name}_bytes"))) for name in parts},
        "usable_measured": use.usable_measured,
        "headroom_share": round(use.headroom_share, 4),
    }


def _print(document: dict[str, Any]) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast

    where = str(document.get("accelerator", "this device"))
    if not document["fits"]:
        click.echo(f"does not fit on {where}: {document['binding']}")
        if document["binding"] == "memory":
            click.echo(
                f"  needs {document['need'] / 1e9:,.1f} GB a device, has {document['have'] / 1e9:,.1f} GB"
            )
        for remedy in document["remedies"]:
            click.echo(f"  way out: {_remedy(remedy)}")
        return
    layout = " ".join(f"{name}={value}" for name, value in document["layout"].items())
    click.echo(
        f"fits on {document['accelerators']:,} × {where} in {document['servers']:,} × {document['server']}"
    )
    click.echo(f"  layout: {layout}")
    use = document["memory_bytes"]
    rows = [
        (name, f"{value / 1e9:,.2f}")
        for name, value in use.items()
        if isinstance(value, int) and name != "usable_measured"
    ]
    print_table(("memory", "GB"), rows, right=(1,))
    measured = "measured" if use["usable_measured"] else "nominal less a stated share"
    click.echo(f"usable memory: {measured}; headroom {use['headroom_share']:.1%}")


_REMEDY_UNITS: Final = {
    "larger-memory": (1e-9, "GB a device"),
    "more-accelerators": (1.0, "devices"),
    "more-time": (1 / 86400, "days"),
    "fewer-tokens": (1.0, "tokens"),
    "larger-batch": (1.0, "sequences"),
    "shorter-sequence": (1.0, "tokens"),
}
"""Factor and unit by which a way out is shown; its value is in bytes, seconds, or a count."""


def _remedy(remedy: dict[str, Any]) -> str:
    scale, unit = _REMEDY_UNITS.get(remedy["kind"], (1.0, ""))
    value = "" if remedy["value"] is None else f"{remedy['value'] * scale:,.0f} {unit}".rstrip()
    return " ".join(part for part in (remedy["kind"], value, remedy["detail"]) if part)
