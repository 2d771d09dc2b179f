from __future__ import annotations

from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.function import Function
from chainer_fast.functions.loss import _reduction
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class Hinge(Function):
    """Hinge loss of one class against the rest."""

    def __init__(self, norm: str = 'L1', reduce: str = 'mean') -> None:
        if norm not in ('L1', 'L2'):
            raise NotImplementedError(
                "norm should be either 'L1' or 'L2', not %r" % (norm,))
        _reduction.check_mean_or_no(reduce)
        self.norm = norm
        self.reduce = reduce

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't'))
        x_type, t_type = in_types
        type_check.expect(x_type.dtype.kind == 'f')
        type_check.expect(t_type.dtype.kind == 'i')
        for each, ndim in ((x_type, 2), (t_type, 1)):
            type_check.expect(each.ndim == ndim)
        type_check.expect(x_type.shape[0] == t_type.shape[0])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        kernel = kernels.hinge_mean if self.reduce == 'mean' else kernels.hinge_losses
        x, t = inputs
        try:
            return kernel(x, t, self.norm == 'L2'),
        except IndexError as error:
            raise _labels.explain(error, x.shape[1], 'classes', t=t) from None

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        n = len(inputs[1]) if self.reduce == 'mean' else 1
        return kernels.hinge_gradient(
            *inputs, *grad_outputs, self.norm == 'L2', n), None


def hinge(
        x: VariableOrArray, t: VariableOrArray, norm: str = 'L1',
        reduce: str = 'mean') -> Variable:
    """Hinge loss of a classification, one class against the rest.

    .. math::

        L = \\frac{1}{N} \\sum_n \\sum_k \\max(0, 1 - s_{nk} x_{nk})^p

    where :math:`s_{nk}` is 1 if :math:`k` is the class of sample :math:`n`
    and -1 if not, and :math:`p` is 1 or 2 for the norm L1 or L2.

    Parameters
    ----------
    x : Variable or array
        Scores of a floating dtype and shape ``(N, K)``.
    t : Variable or array
        Labels less than ``K``, of a signed integer dtype and shape ``(N,)``.
    norm : str
        ``'L1'`` or ``'L2'``.
    reduce : str
        ``'mean'`` for the mean over the samples, ``'no'`` for the loss of each
        element.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: a scalar, or an array of the shape of ``x``
        with ``reduce='no'``. It can be differentiated once.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    IndexError
        If a label is not a class.
    NotImplementedError
        If ``norm`` has another value.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.softmax_cross_entropy

    Examples
    --------
    >>> x = np.array([[3., -2.], [0., 0.5]], np.float32)
    >>> t = np.array([0, 1], np.int32)
    >>> F.hinge(x, t, reduce='no').array
    array([[0. , 0. ],
           [1. , 0.5]], dtype=float32)
    >>> F.hinge(x, t).array
    array(0.75, dtype=float32)
    """
    return Hinge(norm, reduce)(x, t)
