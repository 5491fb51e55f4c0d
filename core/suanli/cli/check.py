"""``suanli check``: the audit of claims, given as a file or as flags."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from suanli.cli import common
from suanli.cli.common import json_option, set_option
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.cli.claim_files import Question

__all__ = ["command"]

_CLAIMS: Final = {
    "days": ("DAYS", "Time that is claimed: a number of days, or a duration such as 298 h."),
    "tokens_per_s": ("RATE", "Rate of all devices that is claimed, tokens per second, such as 1.2M."),
    "tokens_per_s_per_accelerator": ("RATE", "Rate of one device that is claimed, tokens per second."),
    "mfu": ("SHARE", "Share of the dense peak that is claimed, such as 55%."),
    "memory": ("BYTES", "Peak memory of one device that is claimed, such as 40 GB."),
    "states": ("BYTES", "Weights, gradients and optimizer of the whole model, such as 840 GB."),
    "optimizer": ("BYTES", "Optimizer states of the whole model, such as 28 GB."),
    "weights": ("BYTES", "Weights that must be resident to run the model, such as 74 GB."),
    "kv_cache": ("BYTES", "Keys and values of one sequence of --sequence-length tokens."),
    "time_per_output_token": ("TIME", "Decoding time of one token of one sequence, such as 0.14 ms."),
    "network": ("RATE", "Network of a server that is claimed to do, such as 25 Gbit/s."),
    "peak": ("FLOPS", "Dense peak of one device that is claimed, such as 400 TFLOPS."),
    "device_memory": ("BYTES", "Memory of one device that is claimed, such as 32 GB."),
}
"""What a claim may state: name of the value and help; ``fits`` beside needs none."""

_CLAIM_KEYS: Final = (*_CLAIMS, "fits")
_OF_DEVICES: Final = {"peak", "device_memory"}


def _claim_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add a flag for each quantity that a claim may state."""
    for name, (metavar, text) in reversed(_CLAIMS.items()):
        function = click.option(f"--{name.replace('_', '-')}", name, metavar=metavar, help=text)(function)
    return click.option("--fits", is_flag=True, help="That the devices are enough is what is claimed.")(
        function
    )


@click.command("check")
@click.argument("claims", required=False, type=click.Path(path_type=Path))
@click.option(
    "--model",
    metavar="ID|CONFIG|SIZE",
    help="Catalogue id, path to a config.json, or a parameter count such as 70B.",
)
@click.option("--tokens", metavar="COUNT", help="Tokens of the run, such as 1T.")
@click.option(
    "--accelerator", metavar="ID", help="Device that is claimed; each that an ambiguous name may mean."
)
@click.option("--accelerators", type=click.IntRange(1), help="Number of devices that is claimed.")
@_claim_options
@click.option(
    "--task",
    type=click.Choice(["pretrain", "full-finetune", "lora", "qlora"]),
    help="Kind of training.  [default: pretrain]",
)
@click.option("--sequence-length", metavar="TOKENS", help="Tokens per sequence.")
@click.option("--global-batch-tokens", metavar="TOKENS", help="Tokens per optimizer step.")
@click.option("--precision", type=click.Choice(["bf16", "fp16", "fp8"]), help="Number format.")
@click.option("--by", default="claim", help="Who made the claim.")
@click.option("--says", default="", help="In which words.")
@click.option("--lang", "language", type=click.Choice(["zh", "en"]), help="Language of the answer.")
@set_option
@json_option
def command(
    claims: Path | None,
    settings: tuple[str, ...],
    language: str | None,
    *,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Audit claims: what they imply, whether it is possible, and what is right.

    CLAIMS is a project file, a shorter one with model, workload.tokens and claims, one claim as a mapping, or
    a list of such; there each claim may name its own model, tokens, task, sequence_length,
    global_batch_tokens and precision. Without a file, the flags state one claim.

    Claims about a formula, about scaling or about practice state no quantity and cannot be audited; they are
    answered with that verdict.
    """
    from suanli.audit import audit  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.claim_files import questions_of_file, questions_of_flags  # noqa: PLC0415
    from suanli.cli.summary import print_claims  # noqa: PLC0415
    from suanli.cli.texts import Voice  # noqa: PLC0415

    host = common.load_plugins()
    questions: tuple[Question, ...] = (
        questions_of_flags(_flags(flags), host, settings)
        if claims is None
        else questions_of_file(claims, flags, host, settings)
    )
    views = [
        view
        for one in questions
        for view in audit(one.requirement, host.catalogue, tokens_known=one.tokens_known)
    ]
    if as_json:
        common.echo_json({"claims": [view.model_dump(mode="json") for view in views]})
    else:
        print_claims(tuple(views), Voice(language or questions[0].requirement.project.languages[0]))


def _flags(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of one claim, complete.

    Raises:
        InputError: something that the stated quantities need is missing; every one is named.
    """
    from suanli.project.claim_section import NEEDS_ACCELERATOR, NEEDS_ACCELERATORS  # noqa: PLC0415

    stated = {name for name in _CLAIM_KEYS if flags[name]}
    # What is stated of a device alone needs no model.
    needed = {"model": not stated or not stated <= _OF_DEVICES, "tokens": "days" in stated or not stated}
    needed["accelerator"] = not stated or not stated.isdisjoint(NEEDS_ACCELERATOR)
    needed["accelerators"] = not stated or not stated.isdisjoint(NEEDS_ACCELERATORS)
    cure = "or give a file with claims"
    why = "a claim is a model, a device, a number of them and what is stated of them"
    faults = [
        Fault("is missing", key=f"--{name}", why=why, cure=cure)
        for name, needs in needed.items()
        if needs and flags[name] is None
    ]
    if stated == set() and not flags["says"]:
        others = ", ".join(f"--{name.replace('_', '-')}" for name in _CLAIM_KEYS if name != "days")
        faults.append(Fault("is missing", key="--days", why=why, cure=f"or one of {others}"))
    elif not stated:
        faults = [fault for fault in faults if fault.key == "--model"]
    if faults:
        raise InputError(faults)
    return flags
