"""The feature matrices of the built-in plugins against the documents that they were read in."""

from __future__ import annotations

import pytest
from tests.core.built_in import host
from tests.plugins.catalogue_data import CATALOGUE, ENTRIES

from suanli.domain.catalogue import Provenance
from suanli.domain.figure import Check, Source
from suanli.domain.software import Launcher, StackFeature, StackFeatures
from suanli.domain.vendor import SoftwareStack
from suanli.host.references import resolve
from suanli.planning.software.support import matrix_of

MATRICES = CATALOGUE.all(StackFeatures)

GOLDEN = [
    # Megatron-LM core_v0.19.0: --multi-latent-attention, --use-megatron-fsdp; no adapter option.
    ("megatron-lm-0.19", StackFeature.MLA, True),
    ("megatron-lm-0.19", StackFeature.ZERO_3, True),
    ("megatron-lm-0.19", StackFeature.LORA, False),
    ("megatron-lm-0.19", StackFeature.WEIGHTS_OFFLOAD, None),
    # DeepSpeed v0.19.5 states offload of parameters for stage 3, and has no word on FP8.
    ("deepspeed-0.19.5", StackFeature.WEIGHTS_OFFLOAD, True),
    ("deepspeed-0.19.5", StackFeature.FP8, None),
    # ParallelismConfig of Accelerate v1.14.0: dp_replicate, dp_shard, tp, cp, sp.
    ("accelerate-1.14", StackFeature.PIPELINE_PARALLEL, False),
    ("accelerate-1.14", StackFeature.EXPERT_PARALLEL, False),
    ("accelerate-1.14", StackFeature.CONTEXT_PARALLEL, True),
    # MindSpeed LLM 26.1.0: --lora-r; --qlora-nf4 is in a README alone.
    ("mindspeed-llm-26.1", StackFeature.LORA, True),
    ("mindspeed-llm-26.1", StackFeature.QLORA, None),
    ("mindspeed-llm-26.1", StackFeature.ZERO_2, None),
    ("primus-26.5.1", StackFeature.LORA, True),
    ("torchtitan-0.2.2", StackFeature.ASYNC_CHECKPOINT, True),
]


@pytest.mark.parametrize(("record", "feature", "supported"), GOLDEN)
def test_support_is_what_the_documents_say(
    record: str, feature: StackFeature, *, supported: bool | None
) -> None:
    found = CATALOGUE.get(StackFeatures, record).support(feature)

    assert (found.supported if found else None) is supported


def test_deepspeeds_pipeline_refuses_sharded_gradients_and_weights() -> None:
    # deepspeed/runtime/pipe/engine.py: ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism.
    pairs = {one.features for one in CATALOGUE.get(StackFeatures, "deepspeed-0.19.5").exclusions}

    assert pairs == {
        (StackFeature.ZERO_2, StackFeature.PIPELINE_PARALLEL),
        (StackFeature.ZERO_3, StackFeature.PIPELINE_PARALLEL),
    }


def test_every_statement_was_read_in_a_document_with_an_address() -> None:
    for matrix in MATRICES:
        for support in matrix.features.values():
            source = CATALOGUE.get(Source, support.source)
            assert support.check is Check.DIRECT
            assert source.ref.startswith("https://")
            assert source.retrieved >= matrix.as_of


def test_what_is_unsupported_or_open_says_why() -> None:
    for matrix in MATRICES:
        for feature, support in matrix.features.items():
            assert support.supported or support.constraint, f"{matrix.id}: {feature}"


def test_a_stack_has_one_matrix_and_each_default_stack_has_one() -> None:
    named = [stack for matrix in MATRICES for stack in matrix.stacks]
    defaults = {
        stack.id for stack in CATALOGUE.all(SoftwareStack) if stack.default_for or stack.default_for_lora
    }

    assert len(named) == len(set(named))
    assert defaults <= set(named)


def test_each_vendors_default_stack_can_be_launched() -> None:
    for stack in CATALOGUE.all(SoftwareStack):
        if stack.default_for or stack.default_for_lora:
            matrix = matrix_of(stack, CATALOGUE)
            assert matrix is not None
            assert matrix.launcher in set(Launcher)


def test_the_host_keeps_every_matrix() -> None:
    assert {one.id for one in host().catalogue.all(StackFeatures)} == {one.id for one in MATRICES}


def test_a_matrix_of_a_stack_that_nobody_has_is_left_out_with_a_fault() -> None:
    stray = MATRICES[0].model_copy(update={"stacks": ("nowhere",)})
    entries = [(record, origin) for record, origin in ENTRIES if isinstance(record, Source)]
    found = resolve([*entries, (stray, Provenance("acme", "acme", "1"))], incomplete=False)

    assert stray not in [record for record, _ in found.entries]
    assert 'names stack "nowhere"' in str(found.faults["acme"][0])
