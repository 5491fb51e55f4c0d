"""The host with the built-in plugins, and proposals of the examples, each made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import load_project

if TYPE_CHECKING:
    from suanli.host.host import Host
    from suanli.proposal.model import Proposal

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("lora-13b", "pretrain-70b", "base-405b", "base-moe-671b")

SMALL = """\
project: {name: Cluster, client: Client, date: 2026-11-30}
scenario: finetune-lora
model: llama-2-13b
workload: {task: lora, tokens: 50M, deadline: 7 days, sequence_length: 2048}
site: {region: CN-GD, electricity: 0.65 CNY/kWh}
vendors: {accelerators: [ascend-910b3]}
commercial: {fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28}]}
"""
"""A project that is sized in a moment."""


@cache
def host() -> Host:
    """Return the host of this environment."""
    return load_host()


@cache
def proposal(name: str, *settings: str) -> Proposal:
    """Return the proposal of an example under settings."""
    return build_proposal(load_project(EXAMPLES / f"{name}.yaml", settings), host())
