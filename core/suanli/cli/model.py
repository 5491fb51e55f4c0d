"""``suanli model``: parameters and work of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

from suanli.cli.common import echo_json, json_option, load_plugins
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.catalogue import Catalogue

__all__ = ["FoundModel", "command", "find_model"]


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model's shape and where it is from."""

    name: str
    architecture: Architecture
    source: str
    """Title of the source, or the file name."""
    published_total_parameters: int | None = None


def find_model(reference: str, catalogue: Catalogue, *, key: str = "") -> FoundModel:
    """Return a model of the catalogue, or the one that a Hugging Face ``config.json`` describes.

    Raises:
        InputError: neither a file nor a catalogue id.
    """
    from suanli.domain.architecture import ModelRecord  # noqa: PLC0415 - keeps --help fast
    from suanli.domain.figure import Source  # noqa: PLC0415

    path = Path(reference)
    if path.suffix == ".json" or path.is_file():
        return _read_config(path)
    if path.is_dir():
        cure = f"name the file: {path / 'config.json'}"
        raise InputError(Fault("is a folder", where=reference, key=key, cure=cure))
    record = catalogue.get(ModelRecord, reference, key=key)
    source = catalogue.find(Source, record.source)
    title = (
        ""
        if source is None
        else ", ".join(part for part in (source.publisher, source.title, source.ref) if part)
    )
    return FoundModel(record.name.en, record.architecture, title, record.published_total_parameters)


def _read_config(path: Path) -> FoundModel:
    from suanli.domain.hf_config import architecture_from_config  # noqa: PLC0415 - keeps --help fast

    where = str(path)
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise InputError(Fault(f"cannot be read: {error.strerror}", where=where)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Fault(f"is not JSON: {error}", where=where)) from error
    if not isinstance(content, dict):
        raise InputError(
            Fault("is not a Hugging Face config.json", where=where, why="it holds one JSON object")
        )
    try:
        architecture = architecture_from_config(cast("dict[str, object]", content))
    except InputError as error:
        raise InputError(replace(fault, where=where) for fault in error.faults) from None
    return FoundModel(path.name, architecture, where)


def _no_number(word: str) -> NoReturn:
    """Refuse the words that Python reads as numbers beyond what JSON has.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{word} is no number")


@click.command("model")
@click.argument("reference", metavar="ID|CONFIG")
@click.option(
    "--sequence-length",
    type=click.IntRange(1),
    default=4096,
    show_default=True,
    help="Tokens per sequence, for the work of attention.",
)
@json_option
def command(reference: str, sequence_length: int, *, as_json: bool) -> None:
    """Show parameters by part and training work of a catalogue model or of a Hugging Face config.json."""
    found = find_model(reference, load_plugins().catalogue, key="ID|CONFIG")
    profile = _profile(found, sequence_length)
    if as_json:
        echo_json(profile)
    else:
        _print(profile)


def _profile(found: FoundModel, sequence_length: int) -> dict[str, Any]:
    from suanli.domain.transformer import count_parameters  # noqa: PLC0415 - keeps --help fast
    from suanli.estimation.flops import attention_flops_per_token  # noqa: PLC0415

    counts = count_parameters(found.architecture)
    attention = attention_flops_per_token(found.architecture, sequence_length)
    parts = {
        "attention": counts.layers * (counts.attention_matrices + counts.attention_vectors),
        "feed_forward": counts.dense_layers * (counts.mlp_matrices + counts.mlp_vectors),
        "routed_experts": counts.expert,
        "router_and_shared_experts": counts.moe_layers * (counts.shared_matrices + counts.shared_vectors),
        "norms": counts.layers * counts.layer_norms + counts.final_norm,
        "embedding": counts.embedding + counts.positions,
        "lm_head": counts.lm_head,
        "other": counts.extra,
    }
    return {
        "name": found.name,
        "source": found.source,
        "architecture": found.architecture.model_dump(mode="json", exclude_none=True),
        "parameters": {
            "total": counts.total,
            "active": counts.active,
            "matmul": counts.matmul,
            "published_total": found.published_total_parameters,
            "parts": parts,
        },
        "training_flops_per_token": {
            "sequence_length": sequence_length,
            "matmul": 6 * counts.matmul,
            "attention": attention,
            "total": 6 * counts.matmul + attention,
            "six_n": 6 * counts.active,
        },
    }


def _print(profile: dict[str, Any]) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast

    parameters, work = profile["parameters"], profile["training_flops_per_token"]
    total = parameters["total"]
    rows = [
        (part, f"{count:,}", f"{count / total:.2%}") for part, count in parameters["parts"].items() if count
    ]
    rows += [
        ("total", f"{total:,}", "100.00%"),
        ("active per token", f"{parameters['active']:,}", f"{parameters['active'] / total:.2%}"),
    ]
    if parameters["published_total"]:
        difference = total - parameters["published_total"]
        rows.append(("published total", f"{parameters['published_total']:,}", f"differs by {difference:,}"))
    print_table(
        ("parameters", "count", "share"), rows, title=f"{profile['name']} ({profile['source']})", right=(1, 2)
    )
    rows = [(name, f"{work[name]:.4e}", "") for name in ("matmul", "attention", "total", "six_n")]
    title = f"training FLOPs per token at {work['sequence_length']:,} tokens per sequence"
    print_table(("work", "FLOPs", ""), rows, title=title, right=(1,))
