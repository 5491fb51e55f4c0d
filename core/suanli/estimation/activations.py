"""Activations that a stage keeps for the backward pass, in bytes per micro-batch.

Source: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022, section
4.1, with grouped-query heads, gated blocks and fused attention; latent attention and routed experts by the
same counting. What a frozen matrix does not need, what formats below 16 bit halve, and what a stack keeps
twice follow from the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.numbers import tokens

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.numbers import Posed

__all__ = ["LayerBytes", "backward_bytes", "kept_activations", "layer_activations"]

_FULL, _SELECTIVE = 2, 1
_SCORE_BYTES: Final = 5.0
"""Bytes per element of the score matrix of unfused attention: softmax and dropout outputs in 16 bit and the
mask."""
_HALF: Final = 2.0
"""Bytes of a 16-bit value."""


@dataclass(frozen=True, slots=True)
class LayerBytes:
    """Bytes of one layer and token, by what divides them."""

    norm: FloatArray
    """Divided by tensor parallelism where sequences are split as well."""
    split: FloatArray
    """Divided by tensor parallelism."""
    whole: FloatArray

    def of(self, layouts: LayoutArrays, rows: FloatArray) -> FloatArray:
        """Return the bytes of a micro-batch: T · (norm/sp + split/tp + whole)."""
        return rows * (self.norm / layouts.norm_split + self.split / layouts.tp + self.whole)

    def __add__(self, other: LayerBytes) -> LayerBytes:
        """Return both together."""
        return LayerBytes(self.norm + other.norm, self.split + other.split, self.whole + other.whole)


def _input_bytes(posed: Posed) -> FloatArray:
    """Return the bytes of an input that a matrix keeps: 2, or 1 where it is kept as it is multiplied."""
    return _HALF - posed.constants.narrow * posed.recipe_numbers.narrow_inputs


def _attention(posed: Posed, layouts: LayoutArrays, *, cheap: bool) -> LayerBytes:
    """Return the bytes of attention without scores.

    Norm input and output 2 · 2h; queries, keys, values and output as the kernel takes them, 2 (n_q·d_q +
    n_kv·d_q + n_kv·d_v + n_q·d_v); softmax statistics 4·n_q; the latents of latent attention. `cheap`: norms
    are computed again.
    """
    x, recipe = posed.model, posed.recipe_numbers
    # Key and value heads below tp are replicated; divided by tp further down, this leaves one per rank.
    kv_heads = np.maximum(x.kv_heads, layouts.tp)
    heads = (x.heads + kv_heads) * (x.query_width + x.value_width)
    # The projection's output stays beside its rotated copy where values are a view of it.
    plain = x.heads * x.query_width + kv_heads * (x.query_width + x.value_width)
    packed = np.where(x.latent > 0, x.heads * (x.nope_width + x.value_width), plain)
    norm = _HALF * x.hidden + (0.0 if cheap else _input_bytes(posed) * x.hidden)
    return LayerBytes(
        norm=norm,
        split=_HALF * (heads + recipe.packed_projections * packed) + 4 * x.heads,
        whole=_HALF * x.latent * (x.query_rank + x.kv_rank + x.rope_width),
    )


def _every_second(posed: Posed, layouts: LayoutArrays) -> tuple[LayerBytes, LayerBytes]:
    """Return what stays of attention and of a dense block where every second product is recomputed.

    Kept are the layer's input, the products q, v, the first of the block and its last, and the output of the
    attention kernel: 2 [2h + n_q·d_q + n_kv·d_v + n_q·d_v + f] per token.
    """
    x = posed.model
    kv_heads = np.maximum(x.kv_heads, layouts.tp)
    heads = x.heads * (x.query_width + x.value_width) + kv_heads * x.value_width
    nothing = np.zeros(())
    attention = LayerBytes(_HALF * x.hidden, _HALF * heads + 4 * x.heads, nothing)
    return attention, LayerBytes(_HALF * x.hidden, _HALF * x.ffn, nothing)


def _mlp(posed: Posed, *, cheap: bool) -> LayerBytes:
    """Return the bytes of a dense block: norm 2 · 2h, widened 2·g·f, product 2·f; g = 2 for gated blocks.

    A frozen block without adapters keeps the input of the norm and of the activation function alone.
    """
    x, size = posed.model, _input_bytes(posed)
    inputs = 0.0 * size if cheap else size * np.where(x.adapter > 0, posed.recipe_numbers.adapted_blocks, 1.0)
    return LayerBytes(
        norm=(_HALF + inputs) * x.hidden, split=(_HALF * x.up + inputs) * x.ffn, whole=np.zeros(())
    )


def _routed(posed: Posed, layouts: LayoutArrays, *, cheap: bool) -> LayerBytes:
    """Return the bytes of a routed block: norm 4h, shared 2 (g + 1) f_s, and k · 2 [2h + (g + 1) f_e/etp].

    A routed copy of a token is kept as it arrives and as it leaves; where experts are spread, each of the tp
    ranks routes its part of the tokens.
    """
    x, size = posed.model, _input_bytes(posed)
    inputs = 0.0 * size if cheap else size
    copies = x.copies * np.where(layouts.ep > 1, 1 / layouts.tp, 1.0)
    widened = _HALF * x.up + inputs
    expert = (_HALF + size) * x.hidden + widened * x.expert_ffn / layouts.expert_tp
    norms = _HALF * x.hidden + inputs * x.hidden
    return LayerBytes(norm=norms, split=widened * x.shared_ffn, whole=copies * expert)


def _scores(posed: Posed, layouts: LayoutArrays, rows: FloatArray) -> FloatArray:
    """Return the bytes of the score matrix of unfused attention, 5·n_q·T·s/tp; 0 for fused attention."""
    x = posed.model
    return posed.constants.unfused * _SCORE_BYTES * x.heads * rows * x.sequence_length / layouts.tp


def layer_activations(
    posed: Posed, layouts: LayoutArrays, *, selective: bool
) -> tuple[FloatArray, FloatArray]:
    """Return what a dense and a routed layer keep where nothing, or only what is cheap, is recomputed.

    What selective recomputation drops depends on the stack: the score matrix where attention is unfused,
    every second product under full sharding, else norms and the activation function.
    """
    rows, moe = tokens(posed, layouts), bool(np.any(posed.model.moe_layers))
    unfused = posed.constants.unfused
    attention = _attention(posed, layouts, cheap=False)
    dense = (attention + _mlp(posed, cheap=False)).of(layouts, rows)
    routed = (attention + _routed(posed, layouts, cheap=False)).of(layouts, rows) if moe else dense
    if not selective:
        if not np.any(unfused):
            return dense, routed
        scores = _scores(posed, layouts, rows)
        return dense + scores, routed + scores
    cheap = _attention(posed, layouts, cheap=True)
    less = (cheap + _mlp(posed, cheap=True)).of(layouts, rows)
    less_routed = (cheap + _routed(posed, layouts, cheap=True)).of(layouts, rows) if moe else less
    if np.any(posed.constants.fully_sharded):
        second, block = _every_second(posed, layouts)
        sharded = posed.constants.fully_sharded > 0
        half = (second + block).of(layouts, rows)
        less = np.where(sharded, half, less)
        # Of a routed block every second product is recomputed as well: the same share.
        less_routed = np.where(sharded, half / dense * routed, less_routed)
    return np.where(unfused > 0, dense, less), np.where(unfused > 0, routed, less_routed)


def backward_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the gradients of activations that exist at once in the widest block: 2T(g + 1)f/tp."""
    x, rows = posed.model, tokens(posed, layouts)
    widths = (x.up + 1) * np.where(x.dense_layers > 0, x.ffn, 0.0) / layouts.tp
    if np.any(x.moe_layers):
        copies = x.copies * np.where(layouts.ep > 1, 1 / layouts.tp, 1.0)
        expert = copies * (x.hidden + (x.up + 1) * x.expert_ffn / layouts.expert_tp)
        widths = np.maximum(widths, np.where(x.moe_layers > 0, expert, 0.0))
    return _HALF * rows * widths


def kept_activations(
    posed: Posed, layouts: LayoutArrays, dense_layers: FloatArray, moe_layers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what a stage of some dense and routed layers keeps, and the working set of its backward pass.

    Full recomputation of k of n layers keeps the input of those, 2Th/sp, and everything of the others; while
    one is computed again, its activations exist in full beside.
    """
    mode, x = layouts.recompute, posed.model
    dense, routed = layer_activations(posed, layouts, selective=False)
    layers = dense_layers + moe_layers
    base = dense_layers * dense + moe_layers * routed if np.any(x.moe_layers) else layers * dense
    if np.any(mode == _SELECTIVE):
        some, some_routed = layer_activations(posed, layouts, selective=True)
        base = np.where(mode == _SELECTIVE, dense_layers * some + moe_layers * some_routed, base)
    working = backward_bytes(posed, layouts)
    share = np.where(mode == _FULL, np.minimum(layouts.recompute_layers / layers, 1.0), 0.0)
    if not np.any(share):
        return base, working
    inputs = layers * (_HALF * tokens(posed, layouts) * (x.hidden / layouts.norm_split))
    largest = np.where(x.dense_layers > 0, dense, 0.0)
    if np.any(x.moe_layers):
        largest = np.maximum(largest, np.where(x.moe_layers > 0, routed, 0.0))
    return base + share * (inputs - base), working + (share > 0) * largest
