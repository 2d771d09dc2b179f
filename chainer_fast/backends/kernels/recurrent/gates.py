"""Gates of memory cells, and the gradients that all of them share.

The logistic sigmoid is ``tanh(x / 2) / 2 + 1 / 2`` throughout: it does not overflow.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.types import NdArray


def sigmoid(x: NdArray) -> NdArray:
    """Logistic sigmoid in the dtype of an array."""
    half = x.dtype.type(0.5)
    return half + half * get_array_module(x).tanh(half * x)


def extract_gates(x: NdArray) -> list[NdArray]:
    """Views of the gates ``a, i, f, o``, which alternate along the second axis."""
    samples, width, *rest = x.shape
    apart = x.reshape(samples, width // 4, 4, *rest)
    return [apart[:, :, k] for k in range(4)]


def tree_gates(gates: NdArray, count: int) -> list[NdArray]:
    """Views of the gates, which stand one after the other."""
    n = gates.shape[1] // count
    return [gates[:, k * n:(k + 1) * n] for k in range(count)]


def activate(x: NdArray) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    """Values of alternating gates: the input's, and three between zero and one."""
    a, i, f, o = extract_gates(x)
    return get_array_module(x).tanh(a), sigmoid(i), sigmoid(f), sigmoid(o)


def cell_grad(
        gc: NdArray, c_prev: NdArray, a: NdArray, i: NdArray,
        f: NdArray) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    """Gradients of ``a * i + f * c_prev`` by ``c_prev`` and the gates' inputs."""
    return (gc * f, gc * i * (1 - a * a), gc * a * i * (1 - i),
            gc * c_prev * f * (1 - f))


def output_grad(
        o: NdArray, tanh_c: NdArray, gc: NdArray,
        gh: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of ``o * tanh(c)`` by ``c``, with that which came for it, and the
    output gate's input."""
    gh_o = gh * o
    return gc + gh_o * (1 - tanh_c * tanh_c), gh_o * tanh_c * (1 - o)


def rows_of_steps(sizes: tp.Sequence[int], reverse: bool) -> list[slice]:
    """Rows of each step of a scan, in the order of the steps."""
    ends = numpy.cumsum(sizes).tolist()
    rows = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    return rows[::-1] if reverse else rows
