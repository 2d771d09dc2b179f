"""Conditional random fields of chains of labels."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import crf
from chainer_fast.configuration import config, using_config
from chainer_fast.function_node import FunctionNode, grad
from chainer_fast.functions.array import broadcast, concat, expand_dims, reshape
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import identity, logsumexp, minmax
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _sizes(xs):
    return [len(x) for x in xs]


def _check_scores(cost, xs):
    """Check that all scores have the same labels and that batches never grow."""
    type_check.expect(cost.dtype.kind == 'f', cost.ndim == 2)
    type_check.expect(cost.shape[0] == cost.shape[1])
    for i, x in enumerate(xs):
        type_check.expect(x.dtype == cost.dtype, x.ndim == 2)
        type_check.expect(x.shape[1] == cost.shape[0])
        if i > 0:
            type_check.expect(x.shape[0] <= xs[i - 1].shape[0])


class _PathScore(FunctionNode):
    """Score of given labels. The inputs are the costs and the scores at all times.

    Parameters
    ----------
    ys : list of array
        Labels of each time.
    """

    def __init__(self, ys: Any) -> None:
        super().__init__()
        self.ys = ys

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        cost, *xs = inputs
        self.shapes = [x.shape for x in inputs]
        return crf.path_scores(cost, xs, self.ys).astype(cost.dtype, copy=False),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grads = _PathScoreGrad(self.ys, self.shapes).apply(grad_outputs)
        # Chains of one label have no pairs, so the cost has no gradient.
        alone = len(self.ys) == 1
        return tuple([None if i == 0 and alone else grads[i] for i in indexes])


class _PathScoreGrad(FunctionNode):
    """Gradient of :class:`_PathScore`, which is linear.

    Parameters
    ----------
    ys : list of array
        Labels of each time.
    shapes : list of tuple
        Shapes of the inputs.
    """

    def __init__(
            self, ys: Sequence[VariableOrArray],
            shapes: list[tuple[Any, ...]]) -> None:
        super().__init__()
        self.ys = ys
        self.shapes = shapes

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        g, = inputs
        xp = backend.get_array_module(g)
        gcost, *gxs = [xp.zeros(shape, g.dtype) for shape in self.shapes]
        last = None
        # There may be fewer labels than times.
        for gx, y in zip(gxs, self.ys, strict=False):
            n = len(y)
            gx[xp.arange(n), y] = g[:n]
            if last is not None:
                xp.add.at(gcost, (last[:n], y), g[:n])
            last = y
        return gcost, *gxs

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        xp = backend.get_array_module(self.ys[0])
        filled = [
            xp.zeros(shape, self.inputs[0].dtype) if gg is None else gg
            for gg, shape in zip(grad_outputs, self.shapes, strict=True)]
        return _PathScore(self.ys).apply(filled)


class _BestScore(FunctionNode):
    """Score of the best labels, which ``forward`` stores in ``ys``."""

    ys: Any = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        cost, *xs = [in_types[i] for i in range(type_check.eval(in_types.size()))]
        _check_scores(cost, xs)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        cost, *xs = inputs
        xp = backend.get_array_module(cost)
        self.retain_inputs(tuple(range(len(inputs))))
        sizes = _sizes(xs)
        scores, path = crf.best_paths(xp.concatenate(xs), cost, sizes)
        self.ys = xp.split(path, numpy.cumsum(sizes)[:-1])
        return scores,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Not only along the path: several paths may be equally good.
        double = config.enable_backprop
        with using_config('enable_backprop', True):
            # Identities separate the graph that the inputs themselves depend on.
            inputs = identity.identity(*[
                x if double else Variable(x.array)
                for x in self.get_retained_inputs()])
            score = _total(inputs[0], inputs[1:], minmax.max)
            gs = grad([score], inputs, grad_outputs, enable_double_backprop=double)
        return tuple([gs[i] for i in indexes])


def _total(cost, xs, reduce):
    """Reduce the scores of all labelings; differentiable any number of times."""
    cost = expand_dims.expand_dims(cost, 0)
    alpha = xs[0]
    done = []
    for x in xs[1:]:
        n = x.shape[0]
        if n < alpha.shape[0]:
            done.insert(0, alpha[n:])
            alpha = alpha[:n]
        pairs = expand_dims.expand_dims(alpha, 2) + cost
        alpha = x + reduce(pairs, axis=1)
    if done:
        alpha = concat.concat([alpha, *done], axis=0)
    return reduce(alpha, axis=1)


class _CRF1d(FunctionNode):
    """Negative log-likelihood of labels; the inputs are costs, scores and labels.

    Parameters
    ----------
    times : int
        Number of inputs that are scores. There may be fewer labels.
    """

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times

    def _split(self, inputs):
        n = self._times
        return inputs[0], inputs[1:n + 1], inputs[n + 1:]

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        size = type_check.eval(in_types.size())
        cost, xs, ys = self._split([in_types[i] for i in range(size)])
        _check_scores(cost, xs)
        for x, y in zip(xs, ys, strict=False):
            type_check.expect(y.dtype.kind == 'i', y.ndim == 1)
            type_check.expect(x.shape[0] == y.shape[0])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        self._shapes = [x.shape for x in inputs]
        cost, xs, ys = self._split(inputs)
        self._check_labels(ys, len(cost))
        xp = backend.get_array_module(cost)
        x = xp.concatenate(xs)
        dtype = numpy.promote_types(cost.dtype, x.dtype)
        self._x, cost = [
            each.astype(numpy.float32) if dtype.char == 'e' else each
            for each in (x, cost)]
        self._chains = crf.forth(self._x, cost, _sizes(xs))
        scores = crf.path_scores(cost, xs, ys)
        return arrays.floating(self._chains[1] - scores, dtype),

    def _check_labels(self, ys, n):
        if backend.get_array_module(ys[0]) is not numpy:
            return
        # Negative labels count from the end, except in debug mode.
        low = 0 if config.debug else -n
        for i, y in enumerate(ys):
            if y.size and not (y.min() >= low and y.max() < n):
                where = _labels.where_outside('ys[%d]' % i, y, low, n)
                raise (ValueError if config.debug else IndexError)(
                    '%s, but labels must be from 0 to %d: there are %s of them' % (
                        where, n - 1, n))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        self._check_replaced(self.get_retained_inputs())
        cost, xs, ys = self._split(self.get_retained_inputs())
        g, = grad_outputs
        ys = [y.array for y in ys]
        if config.enable_backprop:
            # Identities separate the graph that the inputs themselves depend on.
            cost, *xs = identity.identity(cost, *xs)
            partition = _total(cost, xs, logsumexp.logsumexp)
            loss = partition - _PathScore(ys).apply((cost, *xs))[0]
            gs = grad([loss], [cost, *xs], [g], enable_double_backprop=True)
        else:
            gs = self._gradients(cost.array, [x.array for x in xs], ys, g.array)
            gs = [None if gx is None else Variable(gx) for gx in gs]
        return tuple([gs[i] if i <= len(xs) else None for i in indexes])

    def _check_replaced(self, inputs):
        """Check that the replacements of the inputs have the same shapes."""
        n = self._times
        for i, (x, shape) in enumerate(zip(inputs, self._shapes, strict=True)):
            found = None if x is None else x.shape
            if found != shape:
                name = 'cost' if i == 0 else (
                    'xs[%d]' % (i - 1) if i <= n else 'ys[%d]' % (i - 1 - n))
                raise ValueError(
                    '%s had the shape %s when crf1d was called, but now its array has '
                    '%s: compute gradients before you replace it' % (
                        name, shape,
                        'gone' if x is None else 'the shape %s' % (found,)))

    def _gradients(self, cost, xs, ys, g):
        wide = g.astype(numpy.float64)
        sizes = _sizes(xs)
        gx, gcost = crf.back(
            self._x, cost.astype(self._x.dtype, copy=False), sizes, *self._chains, wide)
        crf.subtract_paths(gx, gcost, ys, g)
        if len(xs) == 1:
            gcost = None
        else:
            gcost = gcost.astype(cost.dtype, copy=False)
        gx = gx.astype(cost.dtype, copy=False)
        xp = backend.get_array_module(gx)
        return [gcost, *xp.split(gx, numpy.cumsum(sizes)[:-1])]


def crf1d(
        cost: VariableOrArray, xs: Sequence[VariableOrArray],
        ys: Sequence[VariableOrArray], reduce: str = 'mean') -> Variable:
    """Negative log-likelihood of labels in a conditional random field of chains.

    .. math::

        L = \\log \\sum_z \\exp(s(z)) - s(y), \\qquad
        s(y) = \\sum_t x_{t, y_t} + \\sum_t c_{y_{t-1}, y_t}

    where the first sum is over all labelings of a chain.

    See: `Conditional Random Fields: Probabilistic Models for Segmenting and Labeling
    Sequence Data <https://repository.upenn.edu/cis_papers/159/>`_

    Parameters
    ----------
    cost : Variable or array
        Scores :math:`c` of the pairs of a label and the next one, of a floating dtype
        and shape ``(labels, labels)``.
    xs : list of Variables or arrays
        Scores :math:`x_t` of the labels at each time, of the same dtype and shape
        ``(batch, labels)``. The chains are sorted by their lengths, the longest first:
        the batch of a time must not be larger than the one before. See
        :func:`~chainer_fast.functions.transpose_sequence`.
    ys : list of Variables or arrays
        Labels at each time, of a signed integer dtype and shape ``(batch,)``. Negative
        labels count from the end; in debug mode they are errors.
    reduce : str
        ``'mean'`` for the mean over the chains, ``'no'`` for the loss of each chain.

    Returns
    -------
    Variable
        The loss, of the dtype of ``cost``: a scalar, or an array of shape ``(batch,)``
        with ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes do not match, or a batch is larger than the one before.
    ValueError
        If ``reduce`` has another value.
    IndexError
        If ``xs`` or ``ys`` is empty, or ``ys`` contains a number that is not a label.
    AssertionError
        If ``cost`` and ``xs`` differ in the number of labels.

    See Also
    --------
    chainer_fast.functions.argmax_crf1d
    chainer_fast.functions.transpose_sequence
    chainer_fast.links.CRF1d

    Examples
    --------
    >>> cost = np.zeros((2, 2), np.float32)
    >>> xs = [np.zeros((1, 2), np.float32)] * 3     # eight labellings, equally likely
    >>> ys = [np.array([0], np.int32)] * 3
    >>> F.crf1d(cost, xs, ys).array                 # log 8
    array(2.0794, dtype=float32)
    """
    _reduction.check_mean_or_no(reduce)
    xs, ys = list(xs), list(ys)
    if not ys:
        raise IndexError('ys must have labels of one time at least, but is empty')
    # Labels of times without scores are ignored.
    ys = ys[:len(xs)]
    labels = xs[0].shape[1]
    assert cost.shape[0] == labels, (
        'cost must be a matrix of the %s labels that xs have scores for, but has the '
        'shape %s' % (labels, cost.shape))
    loss, = _CRF1d(len(xs)).apply((cost, *xs, *ys))
    if reduce == 'no':
        return loss
    return sum_.sum(loss) * (1.0 / len(loss))


def _for_all_pairs(cost, shape):
    """Repeat scores that are the same for all preceding or all following labels."""
    given = numpy.shape(cost)
    if given == shape or not hasattr(cost, 'dtype'):
        return cost
    if len(given) == 3 and given[0] == 1:
        cost, given = reshape.reshape(cost, given[1:]), given[1:]
    if given == shape or len(given) > 2:
        return cost
    fits = all(
        size in (1, n) for size, n in zip(given[::-1], shape[::-1], strict=False))
    return broadcast.broadcast_to(cost, shape) if fits else cost


def _for_all_labels(xs, labels):
    """Repeat scores that are the same for all labels."""
    return [
        broadcast.broadcast_to(x, (x.shape[0], labels))
        if x.shape[1:] == (1,) else x for x in xs]


def argmax_crf1d(
        cost: VariableOrArray, xs: Sequence[VariableOrArray]) -> tuple[Any, ...]:
    """Most likely labels in a conditional random field of chains.

    .. math:: \\operatorname{argmax}_y s(y)

    with the score :math:`s` of :func:`~chainer_fast.functions.crf1d`. The path is
    computed by Viterbi's algorithm.

    Parameters
    ----------
    cost : Variable or array
        Scores of the pairs of a label and the next one, of a floating dtype and shape
        ``(labels, labels)``, or one that broadcasts to it.
    xs : list of Variables or arrays
        Scores of the labels at each time, of the same dtype and shape
        ``(batch, labels)``, or ``(batch, 1)`` for a score that all labels share, in the
        order that :func:`~chainer_fast.functions.crf1d` needs.

    Returns
    -------
    tuple
        The score of the best labels of each chain, a Variable of shape ``(batch,)`` and
        of the dtype of ``cost``; and a list with an array of labels for each time, of
        dtype int32 and shape ``(batch,)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an argument is not floating-point, a batch is larger than the one before, or
        ``cost`` and ``xs`` differ in the number of labels.
    IndexError
        If ``xs`` is empty.

    See Also
    --------
    chainer_fast.functions.crf1d
    chainer_fast.links.CRF1d

    Examples
    --------
    >>> cost = np.array([[0., 5.], [5., 0.]], np.float32)   # labels alternate
    >>> xs = [np.array([[1., 0.]], np.float32), np.zeros((1, 2), np.float32)]
    >>> score, labels = F.argmax_crf1d(cost, xs)
    >>> score.array, labels
    (array([6.], dtype=float32), [array([0], dtype=int32), array([1], dtype=int32)])
    """
    xs = list(xs)
    given = numpy.shape(cost)[-2:]
    # Differing costs determine which of several equal scores belong to the path.
    has_all = len(xs) > 1 and len(given) == 2 and given[0] == given[1] > 1
    cost = _for_all_pairs(cost, given if has_all else xs[0].shape[-1:] * 2)
    dtype = getattr(cost, 'dtype', None)
    # Plain arrays are cast when they are combined with the first scores.
    xs[1:] = [x if isinstance(x, Variable) or x.dtype == dtype
              else x.astype(dtype) for x in xs[1:]]
    try:
        best = _BestScore()
        scores, = best.apply((cost, *xs))
    except (type_check.InvalidType, ValueError):
        # Only scores that do not match are examined again.
        if not has_all or all([x.shape[1:] != (1,) for x in xs]):
            raise
        best = _BestScore()
        scores, = best.apply((cost, *_for_all_labels(xs, given[0])))
    return scores, [scores.device.send(y) for y in best.ys]
