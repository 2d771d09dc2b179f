from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import embed_id as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.EmbedIDShortcut(), fields=('ignore_label', '_w_shape'))
class EmbedIDFunction(FunctionNode):
    """Looks up rows of a matrix."""

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = ignore_label

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'W'))
        x_type, w_type = in_types
        type_check.expect(x_type.dtype.kind == 'i')
        type_check.expect(x_type.ndim >= 1)
        type_check.expect(w_type.dtype.kind == 'f')
        type_check.expect(w_type.ndim == 2)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W = inputs
        self.retain_inputs((0,))
        self._w_shape = W.shape
        if config.debug:
            _labels.check(len(W), 'W', self.ignore_label, x=x)
        try:
            return kernels.look_up(x, W, self.ignore_label),
        except IndexError as error:
            raise _labels.explain(
                error, len(W), 'rows of W', self.ignore_label, x=x) from None

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        grad = EmbedIDGrad(self._w_shape, self.ignore_label)
        return None, grad.apply((x, grad_outputs[0]))[0]


class EmbedIDGrad(FunctionNode):
    """Sums gradients in the rows of their words.

    Parameters
    ----------
    w_shape : tuple
        Shape of the matrix of embeddings.
    ignore_label : int or None
        Word without a row.
    """

    def __init__(
            self, w_shape: Sequence[Any],
            ignore_label: int | None = None) -> None:
        super().__init__()
        self.w_shape = w_shape
        self.ignore_label = ignore_label

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return kernels.add_rows(*inputs, self.w_shape, self.ignore_label),

    def backward(
            self, indexes: tuple[int, ...],
            grads: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        look_up = EmbedIDFunction(self.ignore_label)
        return None, look_up.apply((x, grads[0]))[0]


def embed_id(
        x: VariableOrArray, W: VariableOrArray,
        ignore_label: int | None = None) -> Variable:
    """Replaces word ids by their vectors.

    .. math:: y_{i, \\ldots} = W_{x_i}

    The result equals the product of one-hot vectors and ``W``, without multiplications.

    Parameters
    ----------
    x : Variable or array
        Ids, of a signed integer dtype and at least one dimension. No gradient flows to
        them.
    W : Variable or array
        Matrix of a floating dtype, with one row per id.
    ignore_label : int or None
        Id whose vector is zero. It does not contribute to the gradient of ``W``.

    Returns
    -------
    Variable
        Array of shape ``x.shape + (W.shape[1],)`` and of the dtype of ``W``.

    Raises
    ------
    IndexError
        If an id has no row. Negative ids count from the last row.
    ValueError
        In debug mode, if an id is negative or has no row.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not of a signed integer dtype, or ``W`` is not a floating-point
        matrix.

    Warns
    -----
    UserWarning
        Once, if a negative id is not ignored.

    See Also
    --------
    chainer_fast.links.EmbedID

    Examples
    --------
    >>> W = np.array([[1., 2.], [3., 4.], [5., 6.]], np.float32)
    >>> F.embed_id(np.array([2, 0, -1], np.int32), W, ignore_label=-1).array
    array([[5., 6.],
           [1., 2.],
           [0., 0.]], dtype=float32)
    """
    return EmbedIDFunction(ignore_label).apply((x, W))[0]
