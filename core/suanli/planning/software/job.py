"""What every launcher needs to know of a sized job, and the small tools that arguments are written with."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from suanli.domain.architecture import Architecture
    from suanli.domain.hardware import Precision
    from suanli.domain.workload import Requirement, Workload
    from suanli.estimation.results import Layout, Sizing

__all__ = ["WEIGHTS_SHARDED", "Argument", "LaunchJob", "even", "flag", "launch_job", "script", "yaml_text"]

WEIGHTS_SHARDED: Final = 3
"""ZeRO stage that shards weights beside gradients and optimizer states."""

Argument = tuple[str, ...]
"""A flag with its values, or a word that stands alone."""

_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class LaunchJob:
    """A sized job as a launcher sees it."""

    layout: Layout
    architecture: Architecture
    workload: Workload
    precision: Precision
    nodes: int
    """Servers that ranks run on."""
    ranks_per_node: int
    """Ranks on every server but the last, which may run fewer."""
    steps: int
    save_interval_steps: int
    """Steps between two checkpoints: the planned interval, rounded down."""

    @property
    def last_node_ranks(self) -> int:
        """Return the ranks on the last server."""
        return self.layout.devices - (self.nodes - 1) * self.ranks_per_node

    @property
    def batch_size(self) -> int:
        """Return the sequences of one optimizer step, as the layout rounds them."""
        return self.layout.micro_batch_size * self.layout.micro_batches * self.layout.dp

    @property
    def segments(self) -> int:
        """Return the pieces that the layers are cut into: stages by virtual stages."""
        return self.layout.pp * self.layout.virtual_pipeline

    @property
    def segment_layers(self) -> tuple[int, ...]:
        """Return the layers of each piece in order of depth, the deeper ones never longer."""
        return even(self.architecture.layers, self.segments)

    @property
    def shards(self) -> int:
        """Return the ranks over which states are sharded."""
        replicas, group = self.replicas, self.layout.shard_group
        return replicas if group is None else min(replicas, group)

    @property
    def replicas(self) -> int:
        """Return the ranks that hold the same parameters."""
        return self.layout.dp * self.layout.cp


def even(items: int, parts: int) -> tuple[int, ...]:
    """Return how many of the items each part holds where the first parts take the remainder.

    >>> even(10, 4)
    (3, 3, 2, 2)
    """
    each, rest = divmod(items, parts)
    return (each + 1,) * rest + (each,) * (parts - rest)


def launch_job(sizing: Sizing, requirement: Requirement) -> LaunchJob:
    """Return the facts of a sized job that its launch arguments are written from."""
    layout, accelerator = sizing.layout, sizing.device.accelerator
    most = sizing.device.server.accelerator_count * accelerator.dies
    nodes = math.ceil(layout.devices / most)
    return LaunchJob(
        layout=layout,
        architecture=requirement.model.architecture,
        workload=requirement.workload,
        precision=sizing.precision,
        nodes=nodes,
        ranks_per_node=min(layout.devices, most),
        steps=sizing.steps,
        save_interval_steps=max(1, int(sizing.goodput.checkpoint_interval_s / sizing.step.total_s)),
    )


def flag(name: str, *values: object) -> Argument:
    """Return a flag with its values as text.

    >>> flag("--seq-length", 4096)
    ('--seq-length', '4096')
    """
    return (name, *(str(value) for value in values))


def script(words: Iterable[Argument], environment: Iterable[str] = ()) -> str:
    r"""Return a shell script of one command, an argument on each line.

    >>> print(script([("torchrun",), ("--nnodes", "2")]), end="")
    #!/bin/bash
    torchrun \
      --nnodes 2
    """
    lines = [" ".join(word) for word in words]
    command = f" \\\n{_INDENT}".join(lines)
    return "\n".join(["#!/bin/bash", *environment, command]) + "\n"


def yaml_text(mapping: Mapping[str, object], depth: int = 0) -> str:
    """Return nested mappings of scalars as YAML in block style, in the order given.

    A general writer takes a hundred times as long, and every option is written on every estimate.

    >>> print(yaml_text({"a": {"b": 1, "c": True}, "d": "no", "e": "<path>"}), end="")
    a:
      b: 1
      c: true
    d: "no"
    e: <path>
    """
    lines: list[str] = []
    for key, value in mapping.items():
        if isinstance(value, dict):
            inner = yaml_text(cast("dict[str, object]", value), depth + 1)
            lines.append(f"{_INDENT * depth}{key}:\n{inner}")
        else:
            lines.append(f"{_INDENT * depth}{key}: {_scalar(value)}\n")
    return "".join(lines)


def _scalar(value: object) -> str:
    """Return a scalar; text that YAML would read as anything else is quoted."""
    if isinstance(value, bool | int):
        return str(value).lower()
    plain = str(value)
    safe = _PLAIN.fullmatch(plain) is not None and plain.lower() not in _WORDS
    return plain if safe else json.dumps(plain)


_PLAIN: Final = re.compile(r"[A-Za-z<][\w./<>-]*")
_WORDS: Final = {"y", "n", "yes", "no", "true", "false", "on", "off", "null"}
