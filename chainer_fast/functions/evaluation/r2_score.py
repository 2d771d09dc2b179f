from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.function import Function
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class R2_score(Function):
    """Coefficient of determination of a regression."""

    def __init__(self, sample_weight: VariableOrArray | None, multioutput: str) -> None:
        if sample_weight is not None:
            raise NotImplementedError('sample_weight is not supported')
        if multioutput not in ('uniform_average', 'raw_values'):
            raise ValueError('invalid multioutput argument')
        self.sample_weight = sample_weight
        self.multioutput = multioutput

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'pred', 'true')
        pred_type, true_type = in_types
        type_check.expect(pred_type.shape == true_type.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        dtype = inputs[0].dtype
        score, = self._score(inputs)
        return arrays.floating(score, dtype),

    @precision._fp16_mixed_precision_helper
    def _score(self, inputs):
        pred, true = inputs
        xp = backend.get_array_module(pred)
        residual = ((pred - true) ** 2).sum(axis=0)
        spread = ((true - true.mean(axis=0)) ** 2).sum(axis=0)
        # The score of constant targets is undefined; zero is used.
        varies = spread != 0
        explained = 1 - residual / xp.where(varies, spread, 1)
        score = xp.where(varies, explained, 0)
        if self.multioutput == 'uniform_average':
            score = xp.asarray(score.mean())
        return score,


def r2_score(
        pred: VariableOrArray, true: VariableOrArray,
        sample_weight: VariableOrArray | None = None,
        multioutput: str = 'uniform_average') -> Variable:
    """Coefficient of determination :math:`R^2` of a regression.

    .. math:: R^2 = 1 - \\frac{\\sum_i (t_i - p_i)^2}{\\sum_i (t_i - \\bar t)^2}

    for the predictions :math:`p` and the true values :math:`t`, whose mean is
    :math:`\\bar t`.

    Parameters
    ----------
    pred : Variable or array
        Predictions of a floating dtype; samples are along the first axis.
    true : Variable or array
        True values, of a floating dtype and the shape of ``pred``.
    sample_weight
        Must be ``None``.
    multioutput : str
        ``'uniform_average'`` for the mean of the outputs' scores, ``'raw_values'`` for
        the score of each output.

    Returns
    -------
    Variable
        The score: 1 for a perfect prediction, 0 for one that is no better than the
        mean, and 0 where ``true`` is constant. Its shape is ``()``, or
        ``pred.shape[1:]`` with ``'raw_values'``; its dtype is that of ``pred``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the shapes differ, or an argument is not floating-point.
    NotImplementedError
        If ``sample_weight`` is given.
    ValueError
        If ``multioutput`` has another value.

    Notes
    -----
    No gradient flows through it.

    Examples
    --------
    >>> pred = np.array([1., 2., 2.], np.float32)
    >>> true = np.array([1., 2., 3.], np.float32)
    >>> F.r2_score(pred, true).array
    array(0.5, dtype=float32)
    """
    return R2_score(sample_weight, multioutput)(pred, true)
