"""``suanli fit``: does a model fit in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from suanli.cli import common
from suanli.cli.common import json_option
from suanli.errors import Fault, InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.domain.figure import Bytes
    from suanli.domain.workload import Requirement
    from suanli.fitting.answer import Answer
    from suanli.fitting.devices import Card
    from suanli.fitting.trial import Trial
    from suanli.host.host import Host

__all__ = ["command"]

_METHODS: Final = ("full", "lora", "qlora", "pretrain")
_COMPARED: Final = _METHODS[:3]
_TASKS: Final = {"full-finetune": "full"}
"""Tasks of a project file that have another word here."""
_ANY_TOKENS: Final = "1G"
"""Tokens of the run: a requirement has them, memory does not depend on them."""
_LAYOUT: Final = ("tp", "pp", "cp", "ep", "micro_batch_size", "recompute", "zero_stage", "offload")


def _layout_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that fix a part of the layout."""
    size = click.IntRange(1)
    options = (
        click.option(
            "--zero",
            "--zero-stage",
            "zero_stage",
            type=click.IntRange(0, 3),
            help="ZeRO stage; 3 shards weights too (FSDP). Without --tp, --pp, --cp and --ep, sharding alone "
            "divides the model.  [default: searched]",
        ),
        click.option(
            "--micro-batch",
            "--micro-batch-size",
            "micro_batch_size",
            type=size,
            default=1,
            show_default=True,
            help="Sequences of a card at a time.",
        ),
        click.option(
            "--recompute",
            type=click.Choice(["none", "selective", "full"]),
            help="Activations that are computed again.  [default: searched]",
        ),
        click.option(
            "--offload",
            type=click.Choice(["none", "optimizer", "weights"]),
            help="States that live in host memory.  [default: none]",
        ),
        click.option("--tp", type=size, help="Tensor parallel size.  [default: searched]"),
        click.option("--pp", type=size, help="Pipeline stages.  [default: searched]"),
        click.option("--cp", type=size, help="Context parallel size.  [default: searched]"),
        click.option("--ep", type=size, help="Expert parallel size.  [default: searched]"),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command("fit")
@click.option(
    "--model",
    required=True,
    metavar="ID|CONFIG|SIZE",
    help="Catalogue id, path to a config.json, or a parameter count such as 70B.",
)
@click.option(
    "--method",
    "--task",
    "method",
    type=click.Choice([*_METHODS, *_TASKS]),
    help="What is trained.  [default: full, LoRA and QLoRA are compared]",
)
@click.option("--accelerator", metavar="ID", help="Card of the catalogue.")
@click.option("--memory", metavar="SIZE", help="Or nothing but the memory of a card, such as 24GB.")
@click.option(
    "--cards",
    "--accelerators",
    "cards",
    type=click.IntRange(1),
    help="Number of cards.  [default: the fewest that do]",
)
@click.option(
    "--seq-len",
    "--sequence-length",
    "sequence_length",
    metavar="TOKENS",
    help="Tokens of a sequence.  [default: the scenario's, and the longest that fits is told]",
)
@click.option("--longest", is_flag=True, help="Tell the longest sequence that fits beside the asked one.")
@_layout_options
@click.option("--global-batch-tokens", metavar="TOKENS", help="Tokens of an optimizer step.")
@click.option("--precision", type=click.Choice(["bf16", "fp16", "fp8"]), help="Number format.")
@click.option("--lora-rank", type=click.IntRange(1), help="Rank of the adapters.  [default: 16]")
@click.option("--stack", metavar="ID", help="Training software.  [default: the vendor's for the method]")
@click.option("--recipe", metavar="NAME", help="Memory recipe, such as pure-bf16.  [default: the stack's]")
@click.option("--chunked-loss", is_flag=True, help="The loss works on pieces of the logits.")
@click.option("--host-memory", metavar="SIZE", help="Memory of one server's host, such as 512GB.")
@click.option("--lang", "language", type=click.Choice(["zh", "en"]), help="Language of the answer.")
@json_option
def command(*, language: str | None, as_json: bool, **flags: Any) -> None:  # noqa: ANN401 - options by name
    """Tell whether a model fits on cards: memory of each by part and phase, verdict, and the ways out.

    What is left out is found: the fewest cards, the method, the longest sequence.
    """
    from suanli.cli.fit_view import fit_document, print_fit  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.texts import Voice  # noqa: PLC0415

    if (flags["accelerator"] is None) == (flags["memory"] is None):
        raise InputError(
            Fault("give one of --accelerator and --memory", key="--accelerator", cure="such as --memory 24GB")
        )
    host = common.load_plugins()
    answers, requirement = _answers(flags, host)
    if as_json:
        common.echo_json(fit_document(answers, requirement))
    else:
        print_fit(answers, requirement, Voice(language or requirement.project.languages[0]))


def _answers(flags: dict[str, Any], host: Host) -> tuple[tuple[Answer, ...], Requirement]:
    """Return the answer of each method, and the project that the flags make."""
    from suanli.fitting.answer import answer  # noqa: PLC0415 - keeps --help fast

    if flags["accelerator"] is not None:
        common.require_accelerator(str(flags["accelerator"]), host, key="--accelerator")
    named: str | None = flags["method"]
    methods: tuple[str, ...] = _COMPARED if named is None else (_TASKS.get(named, named),)
    requirement = _requirement(flags, methods[0], host)
    longest = flags["longest"] or flags["sequence_length"] is None
    found = tuple(
        answer(
            _trial(flags, requirement, method, host),
            method,
            host.catalogue,
            cards_open=flags["cards"] is None,
            longest=longest,
        )
        for method in methods
    )
    return found, requirement


def _requirement(flags: dict[str, Any], method: str, host: Host) -> Requirement:
    from suanli.cli.flags import model_setting, requirement_from_flags  # noqa: PLC0415 - keeps --help fast
    from suanli.fitting.answer import METHODS  # noqa: PLC0415

    settings = {
        "model": model_setting(flags["model"]),
        "workload.tokens": _ANY_TOKENS,
        "workload.sequence_length": flags["sequence_length"],
        "workload.global_batch_tokens": flags["global_batch_tokens"],
        "workload.precision": flags["precision"],
        "workload.stack": flags["stack"],
        "vendors.accelerators": f"[{flags['accelerator']}]" if flags["accelerator"] else None,
        "cluster.accelerators": flags["cards"],
        "workload.deadline": None if flags["cards"] else "100 years",
        **{f"layout.{name}": flags[name] for name in _LAYOUT},
    }
    return requirement_from_flags(settings, host, task=METHODS[method].value)


def _trial(flags: dict[str, Any], requirement: Requirement, method: str, host: Host) -> Trial:
    from suanli.estimation.space import LOSS_CHUNKS  # noqa: PLC0415 - keeps --help fast
    from suanli.fitting.answer import METHODS, whole_model  # noqa: PLC0415
    from suanli.fitting.trial import Trial  # noqa: PLC0415

    job = replace(requirement.workload, task=METHODS[method], lora_rank=flags["lora_rank"] or 0)
    wanted = replace(requirement, workload=job, pins=whole_model(requirement.pins))
    if flags["chunked_loss"]:
        wanted = replace(wanted, pins=replace(wanted.pins, loss_chunks=LOSS_CHUNKS))
    card = _card(flags, wanted, host)
    return Trial(
        card,
        requirement.model.architecture,
        replace(job, precision=card.precision),
        wanted.pins,
        flags["cards"] or card.per_server,
        batch_given=flags["global_batch_tokens"] is not None,
        recipe=_recipe(flags["recipe"]),
    )


def _recipe(name: str | None) -> str:
    """Return the name of a memory recipe, empty for none.

    Raises:
        InputError: there is no such recipe.
    """
    from suanli.estimation.recipes import RECIPES  # noqa: PLC0415 - keeps --help fast

    if name is None or name in RECIPES:
        return name or ""
    why = f"known: {', '.join(RECIPES)}"
    raise InputError(
        Fault(f'"{name}" is no memory recipe', key="--recipe", why=why, cure=nearest(name, RECIPES))
    )


def _card(flags: dict[str, Any], requirement: Requirement, host: Host) -> Card:
    from suanli.fitting.devices import card_of, with_host_memory  # noqa: PLC0415 - keeps --help fast

    memory = _size(flags, "memory")
    accelerator = flags["accelerator"] or ""
    card = card_of(requirement, host.catalogue, accelerator=accelerator, memory=memory)
    host_memory = _size(flags, "host_memory")
    return card if host_memory is None else with_host_memory(card, host_memory.si)


def _size(flags: dict[str, Any], name: str) -> Bytes | None:
    """Return an amount of memory that a flag gives.

    Raises:
        InputError: it is none.
    """
    from suanli.fitting.devices import memory_figure  # noqa: PLC0415 - keeps --help fast
    from suanli.project.quantities import QuantityError  # noqa: PLC0415

    if flags[name] is None:
        return None
    try:
        return memory_figure(flags[name])
    except QuantityError as error:
        key = f"--{name.replace('_', '-')}"
        raise InputError(Fault(error.found, key=key, why=error.allowed, cure=error.suggestion)) from None
