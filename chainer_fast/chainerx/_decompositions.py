"""Decompositions of matrices, as functions with gradients."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from chainer_fast import backend
from chainer_fast.backends.kernels import linalg as kernels
from chainer_fast.chainerx import _errors
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import concat, reshape
from chainer_fast.functions.math.matmul import matmul
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable

_Grads: TypeAlias = tuple[Variable | None, ...]


def _eye(x):
    return backend.get_array_module(x).eye(len(x), dtype=x.dtype)


def _zeros_where_none(*gradients_and_likes):
    """Return gradients, with zeros like another variable for None."""
    return [backend.get_array_module(like).zeros_like(like.array) if g is None else g
            for g, like in gradients_and_likes]


def _inverse_differences(s):
    """Return ``1 / (s[j] - s[i])``, or 0 for equal values."""
    n = len(s)
    d = reshape.reshape(s, (1, n)) - reshape.reshape(s, (n, 1))
    differ = (d.array != 0).astype(s.dtype)
    return differ / (d + (1 - differ))


class Solve(FunctionNode):
    """Solution of linear equations."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        a, b = inputs
        return kernels.call(backend.get_array_module(a).linalg.solve, a, b),

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        a, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        gb = solve(a.T, grad_outputs[0])
        n = len(a)
        columns = y.size // n if n else 0
        return -matmul(reshape.reshape(gb, (n, columns)),
                       reshape.reshape(y, (n, columns)).T), gb


def solve(a: Any, b: Any) -> Variable:
    """Return ``x`` with ``a x = b``."""
    return Solve().apply((a, b))[0]


class PseudoInverse(FunctionNode):
    """Pseudo-inverse of a matrix without omitted singular values."""

    def __init__(self, rcond: float) -> None:
        self.rcond = rcond

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        a, = inputs
        return kernels.call(
            backend.get_array_module(a).linalg.pinv, a, self.rcond),

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        # See G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and
        # nonlinear least squares problems whose variables separate", 1973.
        a, = self.get_retained_inputs()
        p, = self.get_retained_outputs()
        g, = grad_outputs
        left, right = _eye(a) - matmul(a, p), _eye(p) - matmul(p, a)
        return (matmul(matmul(left, g.T), matmul(p, p.T))
                + matmul(matmul(p.T, p), matmul(g.T, right))
                - matmul(matmul(p.T, g), p.T)),


def pinv(a: Variable, rcond: float) -> Variable:
    """Return the pseudo-inverse, ignoring relative singular values up to ``rcond``."""
    xp = backend.get_array_module(a)
    if not a.size:
        return PseudoInverse(rcond).apply((a,))[0]
    s = kernels.call(xp.linalg.svd, a.array, True, False)
    left_out = s[s <= rcond * s.max()]
    if not len(left_out) or left_out.max() <= xp.finfo(s.dtype).eps * s.max():
        return PseudoInverse(rcond).apply((a,))[0]
    u, s, vt = svd(a)
    kept = (s.array > rcond * s.array.max()).astype(s.dtype)
    return matmul(vt.T * (kept / s), u.T)


class SVD(FunctionNode):
    """Reduced singular value decomposition."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0, 1, 2))
        a, = inputs
        return tuple(kernels.call(backend.get_array_module(a).linalg.svd, a, False))

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        # See J. Townsend, "Differentiating the singular value decomposition", 2016.
        u, s, vt = self.get_retained_outputs()
        v = vt.T
        gu, gs, gvt = _zeros_where_none(*zip(grad_outputs, (u, s, vt), strict=True))
        gv = gvt.T
        f = _inverse_differences(s * s)
        rotation_u, rotation_v = matmul(u.T, gu), matmul(vt, gv)
        column = reshape.reshape(s, (len(s), 1))
        inner = (f * (rotation_u - rotation_u.T) * s
                 + column * f * (rotation_v - rotation_v.T) + _eye(s) * gs)
        g = matmul(matmul(u, inner), vt)
        if len(u) > len(s):
            g = g + matmul((gu - matmul(u, rotation_u)) / s, vt)
        if len(v) > len(s):
            g = g + matmul(u, ((gv - matmul(v, rotation_v)) / s).T)
        return g,


def svd(a: Variable) -> tuple[Variable, ...]:
    """Return ``u, s, vt`` with ``a = u diag(s) vt``."""
    return SVD().apply((a,))


class Eigh(FunctionNode):
    """Eigenvalues and eigenvectors of a symmetric matrix."""

    def __init__(self, half: str) -> None:
        self.half = half

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0, 1))
        a, = inputs
        return tuple(kernels.call(
            backend.get_array_module(a).linalg.eigh, a, self.half))

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        # The gradient is that with respect to a symmetric matrix.
        w, v = self.get_retained_outputs()
        gw, gv = _zeros_where_none(*zip(grad_outputs, (w, v), strict=True))
        inner = _eye(w) * gw + _inverse_differences(w) * matmul(v.T, gv)
        g = matmul(matmul(v, inner), v.T)
        return (g + g.T) * .5,


class QR(FunctionNode):
    """QR decomposition of a matrix with at least as many rows as columns."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0, 1))
        a, = inputs
        return tuple(kernels.call(backend.get_array_module(a).linalg.qr, a))

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        # See S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra
        # functions with application in optimum experimental design", 2010.
        q, r = self.get_retained_outputs()
        gq, gr = _zeros_where_none(*zip(grad_outputs, (q, r), strict=True))
        xp = backend.get_array_module(r)
        half = xp.tri(len(r), dtype=r.dtype) - _eye(r) * .5
        m = (matmul(r, gr.T) - matmul(gq.T, q)) * half
        return solve(r, (gq + matmul(q, m + m.T)).T).T,


def qr(a: Variable) -> tuple[Variable, Variable]:
    """Return ``q`` and ``r`` of minimum size."""
    rows, columns = a.shape
    if rows >= columns:
        q, r = QR().apply((a,))
        return q, r
    q, r = QR().apply((a[:, :rows],))
    return q, concat.concat((r, matmul(q.T, a[:, rows:])), 1)


class WithoutGradient(FunctionNode):
    """Function that cannot be differentiated.

    Parameters
    ----------
    function : callable
        Function of the module of the plain arrays, and of an array.
    name : str
        Its name in errors.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, name

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return tuple(self.function(backend.get_array_module(inputs[0]), *inputs))

    def backward(self, indexes: tuple[int, ...], grad_outputs: GradOutputs) -> _Grads:
        raise _errors.NotImplementedError('%s has no gradient' % (self.name,))
