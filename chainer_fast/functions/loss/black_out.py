from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast, expand_dims
from chainer_fast.functions.loss import _candidates
from chainer_fast.functions.math import average, exponential, logsumexp
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, precision, type_check
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


class _LogSumExpOfOthers(FunctionNode):
    """Logarithm of the sum of exponentials of all other elements, for each in a row.

    Subtracting the exponential of an element from the sum over the row would lose all
    precision if that element is far larger than the others, like the target of a
    trained model.
    """

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        xp = backend.get_array_module(x)
        _, is_largest, others = self._without_largest(x)
        top = x.max(axis=1, keepdims=True)
        terms = xp.exp(x - top)
        # If the sum contains the largest element, subtraction loses no precision.
        with_top = xp.where(
            is_largest, x.dtype.type(1), terms.sum(axis=1, keepdims=True) - terms)
        y = top + xp.log(with_top)
        top = others.max(axis=1, keepdims=True)
        of_largest = top + xp.log(xp.exp(others - top).sum(axis=1, keepdims=True))
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return xp.where(is_largest, of_largest, y),

    @staticmethod
    def _without_largest(x):
        """Return the position of the largest element of each row, and the others."""
        xp = backend.get_array_module(x)
        largest = x.argmax(axis=1)[:, None]
        is_largest = xp.arange(x.shape[1]) == largest
        return largest, is_largest, xp.where(is_largest, x.dtype.type(-numpy.inf), x)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        g, = grad_outputs
        if not config.enable_backprop:
            return Variable(self._gradient((x.array, y.array, g.array))[0]),
        # All pairs of elements, except those of an element with itself.
        xp = backend.get_array_module(x.array)
        n = x.shape[1]
        itself = xp.where(
            xp.eye(n, dtype=bool), x.dtype.type(-numpy.inf), x.dtype.type(0))
        shares = exponential.exp(
            expand_dims.expand_dims(x, 1) - expand_dims.expand_dims(y, 2) + itself)
        return sum_.sum(expand_dims.expand_dims(g, 2) * shares, axis=1),

    @precision._fp16_mixed_precision_helper
    def _gradient(self, arrays):
        x, y, g = arrays
        xp = backend.get_array_module(x)
        largest, is_largest, others = self._without_largest(x)
        top = x.max(axis=1, keepdims=True)
        g_top, y_top = [xp.take_along_axis(each, largest, 1) for each in (g, y)]
        # Sums that contain the largest element are not smaller than it.
        weights = xp.where(
            is_largest, x.dtype.type(0), g * xp.exp(xp.minimum(top - y, 0)))
        gx = xp.exp(x - top) * (weights.sum(axis=1, keepdims=True) - weights)
        gx += g_top * xp.exp(others - y_top)
        return gx,


def _candidate_ids(x, t, samples):
    """Return rows of the target and the samples of noise, one for each row of ``x``."""
    t, samples = as_variable(t).array, as_variable(samples).array
    for name, ids in (('t', t), ('samples', samples)):
        if config.type_check and ids.dtype.kind != 'i':
            raise type_check.InvalidType(
                '%s.dtype.kind == i' % (name,), '%s != i' % (ids.dtype.kind,),
                '%s must be indices of classes' % (name,))
    # One target, or one row of samples, applies to all rows of x.
    rows = len(x.array) if x.ndim else 0
    if t.ndim != 1 or len(t) not in (1, rows) or not samples.ndim or (
            samples.shape[:-1] not in ((), (1,), (rows,))):
        raise type_check.InvalidType(
            't.shape == (x.shape[0],) and samples.shape[0] == x.shape[0]',
            't.shape == %s and samples.shape == %s, where x.shape == %s' % (
                t.shape, samples.shape, x.shape),
            'each row of x needs a target and a row of samples')
    xp = backend.get_array_module(t)
    parts = t[:, None], samples
    return xp.concatenate([
        part if len(part) == rows and part.ndim == 2
        else xp.broadcast_to(part, (rows, part.shape[-1])) for part in parts], axis=1)


def black_out(
        x: VariableOrArray, t: VariableOrArray, W: VariableOrArray,
        samples: VariableOrArray, reduce: str = 'mean') -> Variable:
    """BlackOut loss, for language models with many classes.

    .. math::

        L_n = -\\log p_{t_n}(x_n) - \\sum_k \\log (1 - p_{z_{nk}}(x_n))

    where :math:`p` is the softmax of the scores :math:`x_n \\cdot w_i` over the target
    :math:`t_n` and the samples of noise :math:`z_{nk}` only.

    See: `BlackOut: Speeding up Recurrent Neural Network Language Models With Very Large
    Vocabularies <https://arxiv.org/abs/1511.06909>`_

    Parameters
    ----------
    x : Variable or array
        Samples, of a floating dtype and shape ``(N, K)``.
    t : Variable or array
        Classes of the samples, of a signed integer dtype and shape ``(N,)``, or of
        shape ``(1,)`` if all samples have the same class.
    W : Variable or array
        Vectors of the classes, of a floating dtype and shape ``(classes, K)``.
    samples : Variable or array
        Samples of noise, of a signed integer dtype and shape ``(N, samples)``, or
        ``(1, samples)`` if they are the same for all.
    reduce : str
        ``'mean'`` for the mean over the samples; any other value, such as ``'no'``, for
        the loss of each sample.

    Returns
    -------
    Variable
        The loss, a scalar or an array of shape ``(N,)``. Its dtype is that of ``x`` and
        ``W``, or the more precise of the two.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, ``t`` or ``samples`` not of a signed integer
        dtype, or shapes do not match.
    IndexError
        If a target or a sample is not a class; this is a ``ValueError`` in debug mode.
        Negative numbers count from the end, but are not classes in debug mode.

    See Also
    --------
    chainer_fast.functions.negative_sampling
    chainer_fast.functions.softmax_cross_entropy
    chainer_fast.links.BlackOut

    Examples
    --------
    >>> x = np.zeros((1, 2), np.float32)                # all scores are zero
    >>> W = np.ones((4, 2), np.float32)
    >>> t = np.array([0], np.int32)
    >>> samples = np.array([[1]], np.int32)
    >>> F.black_out(x, t, W, samples).array             # -log(1/2) - log(1 - 1/2)
    array(1.3863, dtype=float32)
    """
    x, W = as_variable(x), as_variable(W)
    ids = _candidate_ids(x, t, samples)
    if config.debug:
        _labels.check(len(W.array), 'W', t=ids[:, 0], samples=ids[:, 1:])
    if x.dtype != W.dtype and x.dtype.kind == W.dtype.kind == 'f':
        common = numpy.promote_types(x.dtype, W.dtype)
        x, W = cast.cast(x, common), cast.cast(W, common)
    try:
        scores, = _candidates.Scores(ids).apply((x, W))
    except IndexError as error:
        raise _labels.explain(
            error, W.shape[0], 'rows of W', t=ids[:, 0], samples=ids[:, 1:]) from None
    dtype = scores.dtype
    if dtype.char == 'e':
        # The differences below would accumulate the rounding errors of all samples.
        scores = cast.cast(scores, numpy.float32)
    # The loss needs the fraction of the target in the sum over all candidates and, for
    # each sample of noise, the fraction of all candidates except that one.
    total = logsumexp.logsumexp(scores, axis=1)
    losses = total - scores[:, 0]
    if ids.shape[1] > 1:
        others, = _LogSumExpOfOthers().apply((scores,))
        gaps = expand_dims.expand_dims(total, 1) - others[:, 1:]
        losses = losses + sum_.sum(gaps, axis=1)
    if reduce == 'mean':
        losses = average.average(losses)
    return losses if losses.dtype == dtype else cast.cast(losses, dtype)
