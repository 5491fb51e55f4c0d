"""What the document is about: the project, the model to train and the training job."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.domain.workload import Objective, Paper, ProposalType, SolveFor, Task, Track
from suanli.proposal.model.figures import Shown
from suanli.proposal.model.words import Words

__all__ = ["ProfileView", "ProjectView", "WorkloadView"]


class ProjectView(Part):
    """Title page facts."""

    name: Words
    client: Words
    type: ProposalType
    track: Track
    day: date
    languages: tuple[str, ...]
    version: str
    """Version of suanli."""
    region: str
    region_name: Text | None = None
    currency: str
    horizon_years: int
    price_validity_days: int
    paper: Paper = Paper.A4


class ProfileView(Part):
    """The model's profile."""

    name: Text
    origin: str
    reference: str
    total_parameters: int
    active_parameters: int
    matmul_parameters: int
    trainable_parameters: int
    layers: int
    hidden_size: int
    ffn_hidden_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int
    experts: int = 0
    top_k: int = 0
    flops_per_token: Shown
    matmul_flops_per_token: Shown
    attention_flops_per_token: Shown
    six_n_flops_per_token: Shown
    refs: tuple[str, ...] = ()


class WorkloadView(Part):
    """The job."""

    task: Task
    tokens: Shown | None
    sequence_length: int
    global_batch_size: int
    global_batch_tokens: int
    step_batch_size: int | None = None
    """Sequences of a step as the layout of the first option rounds them; None without a layout."""
    precision: str
    deadline: Shown | None
    deadline_confidence: Decimal
    runs_per_year: Decimal
    epochs: Decimal
    solve_for: SolveFor
    objective: Objective
    total_flops: Shown | None
    steps: int | None
    optimal_tokens: Shown | None = None
    """20 tokens per parameter (Hoffmann et al., 2022), for comparison."""
