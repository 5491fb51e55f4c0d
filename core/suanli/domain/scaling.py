"""A stated shape for a model of which only the parameter count is known.

The family is that of Llama and Qwen: grouped-query attention with eight key-value heads of 128, a gated
feed-forward block of 3.5 times the hidden size (Llama 3), an untied vocabulary of 128,256. Depth follows
width as in the published members.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from suanli.domain.architecture import Architecture
from suanli.domain.transformer import count_parameters
from suanli.errors import Fault, InputError

__all__ = ["ASPECT", "architecture_from_parameters"]

ASPECT: Final = (
    (16, 2048),
    (28, 3072),
    (32, 4096),
    (40, 5120),
    (60, 7168),
    (80, 8192),
    (88, 12288),
    (126, 16384),
)
"""Layers and hidden size of published members: Llama 3.2 1B and 3B, Llama 3 8B, Llama 2 13B, Yi 34B, Llama 3
70B, Mistral Large 2, Llama 3.1 405B."""

_HEAD_DIM = 128
_KV_HEADS = 8
_VOCABULARY = 128256
_FFN_RATIO = 3.5
_FFN_STEP = 256
_SMALLEST, _LARGEST = 300e6, 20e12
_FFN_RATIO_RANGE = (2.5, 4.0)
_WIDTH_STEP = 1024
"""Widths of eight heads of 128, so that tensor parallelism of 8 divides them; a quarter of it for small
models."""
_WIDE = 3500
_TOLERANCE = 0.01


def _shape(layers: int, hidden_size: int, ffn_hidden_size: int) -> Architecture:
    heads = hidden_size // _HEAD_DIM
    return Architecture(
        layers=layers,
        hidden_size=hidden_size,
        ffn_hidden_size=ffn_hidden_size,
        attention_heads=heads,
        kv_heads=math.gcd(heads, _KV_HEADS),
        head_dim=_HEAD_DIM,
        vocab_size=_VOCABULARY,
        tied_embeddings=hidden_size <= ASPECT[1][1],
    )


def _usual_layers(hidden_size: int) -> float:
    """Interpolate depth over width on the published members, straight in logarithms beyond them."""
    points = [(math.log(hidden), math.log(layers)) for layers, hidden in ASPECT]
    x = math.log(hidden_size)
    pairs = list(pairwise(points))
    (x0, y0), (x1, y1) = next((pair for pair in pairs if x <= pair[1][0]), pairs[-1])
    return math.exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0))


def _fit_ffn(layers: int, hidden_size: int, parameters: float) -> Architecture | None:
    """Choose the feed-forward width that comes closest to the count, if it is a usual one."""
    without = count_parameters(_shape(layers, hidden_size, 1))
    body = parameters - (without.total - layers * without.mlp_matrices)
    ratio = body / (layers * 3 * hidden_size * hidden_size)
    if not _FFN_RATIO_RANGE[0] <= ratio <= _FFN_RATIO_RANGE[1]:
        return None
    step = _FFN_STEP if hidden_size > ASPECT[0][1] else _HEAD_DIM
    return _shape(layers, hidden_size, max(step, round(ratio * hidden_size / step) * step))


def _departure(architecture: Architecture) -> float:
    """Return how far depth and block width depart from those of the family."""
    depth = math.log(architecture.layers / _usual_layers(architecture.hidden_size))
    width = math.log(architecture.ffn_hidden_size / architecture.hidden_size / _FFN_RATIO)
    odd_heads = 0.04 * (architecture.attention_heads % _KV_HEADS != 0)
    odd_layers = 0.01 * (architecture.layers % 4 != 0)
    return depth * depth + width * width + odd_heads + odd_layers


def architecture_from_parameters(count: float) -> Architecture:
    """Return the Llama-like shape that reproduces a total parameter count within about 1 %.

    All widths that are multiples of 128 and depths within a factor of 1.4 of the usual one are tried; the
    feed-forward width is solved from the count, and the shape that departs least from the published members
    wins.

    Range of validity: 0.3 to 20,000 billion parameters. A mixture of experts cannot be guessed from a count.

    Raises:
        InputError: the count is outside that range.

    Source: published configurations of the models named at `ASPECT`.

    >>> shape = architecture_from_parameters(72e9)
    >>> shape.layers, shape.hidden_size, shape.kv_heads
    (80, 8192, 8)
    """
    if not _SMALLEST <= count <= _LARGEST:
        raise InputError(
            Fault(
                f"{count:g} parameters",
                key="model.parameters",
                why=f"a shape can be assumed between {_SMALLEST:g} and {_LARGEST:g} parameters",
                cure="write the count with its unit, such as 72B, or give the layers and sizes",
            )
        )
    found: list[Architecture] = []
    # A layer holds about 12 h² and depth is about h / 100, so the width goes with the cube root of the count.
    typical = (8.5 * count) ** (1 / 3)
    step = _WIDTH_STEP if typical > _WIDE else _WIDTH_STEP // 4
    for hidden_size in range(math.ceil(0.6 * typical / step) * step, int(1.6 * typical) + step, step):
        usual = _usual_layers(hidden_size)
        depths = range(max(2, round(usual / 1.4)), round(usual * 1.4) + 1)
        found += [shape for layers in depths if (shape := _fit_ffn(layers, hidden_size, count)) is not None]
    if not found:
        raise InputError(
            Fault(f"no usual shape has {count:g} parameters", key="model.parameters", cure="give the shape")
        )
    close = [
        shape for shape in found if abs(count_parameters(shape).total / count - 1) <= _TOLERANCE
    ] or found
    return min(close, key=lambda shape: (_departure(shape), shape.hidden_size, shape.layers))
