from __future__ import annotations

import functools
import operator

import numpy

from chainer_fast import utils
from chainer_fast.backends import arrays
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, cast, reshape
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

# The form T = e1_ij e2_ik W_jkl g_il is linear in each of its factors. Its derivative
# with respect to one of them is computed from the other three by rowwise outer products
# and matrix products. The functions below accept both arrays and variables, so that
# both orders of derivatives use them.


def _as_mat(x):
    return x if x.ndim == 2 else x.reshape(len(x), utils.size_of_shape(x.shape[1:]))


def _unmasked(inputs):
    for x in inputs:
        if type(x) is not numpy.ndarray:
            return tuple([arrays.unmasked(each) for each in inputs])
    return inputs


def _outer_rows(a, b):
    """Return ``a_ij b_ik`` as a matrix with a column for each pair ``jk``."""
    n, j = a.shape
    k = b.shape[1]
    return (a.reshape(n, j, 1) * b.reshape(n, 1, k)).reshape(n, j * k)


def _contract(a, b, W, order):
    """Return ``a_ix b_iy W_xyz``, with the axes of ``W`` in a given order."""
    x, y, z = [W.shape[d] for d in order]
    return _outer_rows(a, b) @ W.transpose(order).reshape(x * y, z)


def _d_e1(e2, W, g):
    return _contract(e2, g, W, (1, 2, 0))


def _d_e2(e1, W, g):
    return _contract(e1, g, W, (0, 2, 1))


def _d_g(e1, e2, W):
    return _contract(e1, e2, W, (0, 1, 2))


def _d_W(e1, e2, g):
    pairs = _outer_rows(e1, e2).transpose(1, 0)
    return (pairs @ g).reshape(e1.shape[1], e2.shape[1], g.shape[1])


def _transposed(x):
    return x.transpose(1, 0)


def _total(terms):
    """Return the sum of the terms that have all factors."""
    values = [f(*factors) for f, *factors in terms
              if all(x is not None for x in factors)]
    return functools.reduce(operator.add, values) if values else None


def _in_types_of(inputs, gradients, indexes):
    """Return gradients cast to the dtypes of the inputs, which may not be checked."""
    return tuple([
        cast.as_type(gradients[i], inputs[i].dtype) for i in indexes])


class BilinearFunction(FunctionNode):
    """Bilinear form of rows, with optional linear terms and a bias."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        count = type_check.eval(in_types.size())
        if count not in (3, 6):
            raise type_check.InvalidType(
                '%s or %s' % (in_types.size() == 3, in_types.size() == 6),
                '%s == %s' % (in_types.size(), count))
        names = ('e1', 'e2', 'W', 'V1', 'V2', 'b')[:count]
        _checks.floats(in_types, *names)
        for other in in_types[1:]:
            type_check.expect(other.dtype == in_types[0].dtype)

        e1_type, e2_type, w_type = in_types[:3]
        type_check.expect(e1_type.ndim >= 2)
        type_check.expect(e2_type.ndim >= 2)
        type_check.expect(w_type.ndim == 3)
        type_check.expect(e1_type.shape[0] == e2_type.shape[0])
        for d, each in enumerate((e1_type, e2_type)):
            width = type_check.prod(each.shape[1:])
            type_check.expect(width == w_type.shape[d])
        if count == 6:
            for d, v_type in enumerate(in_types[3:5]):
                type_check.expect(v_type.ndim == 2)
                type_check.expect(v_type.shape[0] == w_type.shape[d])
                type_check.expect(v_type.shape[1] == w_type.shape[2])
            type_check.expect(in_types[5].ndim == 1)
            type_check.expect(in_types[5].shape[0] == w_type.shape[2])

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        inputs = _unmasked(inputs)
        e1, e2, W = _as_mat(inputs[0]), _as_mat(inputs[1]), inputs[2]
        y = _d_g(e1, e2, W)
        if len(inputs) == 6:
            V1, V2, b = inputs[3:]
            y += e1 @ V1
            y += e2 @ V2
            y += b
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # No gradient depends on the bias.
        inputs = self.get_retained_inputs()[:5]
        grads = BilinearFunctionGrad().apply(inputs + grad_outputs)
        return _in_types_of(self.inputs, grads, indexes)


class BilinearFunctionGrad(FunctionNode):
    """Gradients of :class:`BilinearFunction`.

    The inputs are ``e1, e2, W, gy`` or ``e1, e2, W, V1, V2, gy``; there is one output
    for each input of the function.
    """

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        inputs = _unmasked(inputs)
        e1, e2, W = _as_mat(inputs[0]), _as_mat(inputs[1]), inputs[2]
        gy = inputs[-1]
        ge1, ge2 = _d_e1(e2, W, gy), _d_e2(e1, W, gy)
        linear_terms = ()
        if len(inputs) == 6:
            V1, V2 = inputs[3:5]
            ge1 += gy @ V1.T
            ge2 += gy @ V2.T
            linear_terms = e1.T @ gy, e2.T @ gy, gy.sum(axis=0)
        ge1 = ge1.reshape(inputs[0].shape)
        ge2 = ge2.reshape(inputs[1].shape)
        return (ge1, ge2, _d_W(e1, e2, gy)) + linear_terms

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        e1, e2, W = _as_mat(inputs[0]), _as_mat(inputs[1]), inputs[2]
        V1, V2 = inputs[3:5] if len(inputs) == 6 else (None, None)
        g = inputs[-1]
        # Contracting each gradient with its incoming gradient yields the same form with
        # that factor replaced; h denotes the replacement.
        he1, he2 = [
            None if h is None else _as_mat(h) for h in grad_outputs[:2]]
        hW = grad_outputs[2]
        hV1, hV2, hb = grad_outputs[3:] or (None, None, None)

        def against_g(V):
            return g @ _transposed(V)

        def for_v(h):
            return _transposed(h) @ g

        gradients = [
            _total([(_d_e1, he2, W, g), (_d_e1, e2, hW, g),
                    (against_g, hV1)]),
            _total([(_d_e2, he1, W, g), (_d_e2, e1, hW, g),
                    (against_g, hV2)]),
            _total([(_d_W, he1, e2, g), (_d_W, e1, he2, g)]),
        ]
        if len(inputs) == 6:
            gradients += [_total([(for_v, he1)]), _total([(for_v, he2)])]
        gradients.append(_total([
            (_d_g, he1, e2, W), (_d_g, e1, he2, W), (_d_g, e1, e2, hW),
            (operator.matmul, he1, V1), (operator.matmul, he2, V2),
            (operator.matmul, e1, hV1), (operator.matmul, e2, hV2),
            (lambda h: broadcast.broadcast_to(h, g.shape), hb)]))
        for i in 0, 1:
            if gradients[i] is not None:
                gradients[i] = reshape.reshape(
                    gradients[i], inputs[i].shape)
        return _in_types_of(inputs, gradients, indexes)


def bilinear(
        e1: VariableOrArray, e2: VariableOrArray, W: VariableOrArray,
        V1: VariableOrArray | None = None, V2: VariableOrArray | None = None,
        b: VariableOrArray | None = None) -> Variable:
    """Bilinear form of the rows of two matrices.

    .. math::

        y_{il} = \\sum_{jk} e^1_{ij} e^2_{ik} W_{jkl}

    and, if they are given,

    .. math::

        y_{il} = \\ldots + \\sum_j e^1_{ij} V^1_{jl}
            + \\sum_k e^2_{ik} V^2_{kl} + b_l

    See: `Reasoning With Neural Tensor Networks for Knowledge Base Completion
    <https://proceedings.neurips.cc/paper/2013/hash/b337e84de8752b27eda3a12363109e80-Abstract.html>`_

    Parameters
    ----------
    e1 : Variable or array
        Left operand, of a floating dtype. All axes except the first one are flattened
        into vectors of length ``J``.
    e2 : Variable or array
        Right operand of the same dtype, flattened to length ``K``.
    W : Variable or array
        Coefficients of shape ``(J, K, L)``.
    V1 : Variable or array
        Coefficients of shape ``(J, L)``.
    V2 : Variable or array
        Coefficients of shape ``(K, L)``.
    b : Variable or array
        Bias of shape ``(L,)``.

    Returns
    -------
    Variable
        Array of shape ``(N, L)`` and of the dtype of ``e1``, where ``N`` is the length
        of its first axis.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    ValueError
        If only some of ``V1``, ``V2`` and ``b`` are given.

    See Also
    --------
    chainer_fast.links.Bilinear

    Examples
    --------
    >>> e1 = np.array([[1., 2.]], np.float32)
    >>> e2 = np.array([[3., 4.]], np.float32)
    >>> W = np.ones((2, 2, 1), np.float32)
    >>> F.bilinear(e1, e2, W).array     # (1 + 2) * (3 + 4)
    array([[21.]], dtype=float32)
    """
    optional = V1, V2, b
    given = [each is not None for each in optional]
    if any(given) and not all(given):
        raise ValueError(
            'All coefficients and bias for bilinear() must be None, '
            'if at least one of them is None.')
    operands = (e1, e2, W) + (optional if all(given) else ())
    return BilinearFunction().apply(operands)[0]
