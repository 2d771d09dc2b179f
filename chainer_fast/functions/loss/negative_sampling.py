from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import negative_sampling as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.negative_sampling import compiled
from chainer_fast.configuration import config, using_config
from chainer_fast.function_node import FunctionNode, grad
from chainer_fast.functions.activation import softplus
from chainer_fast.functions.array import cast, get_item
from chainer_fast.functions.loss import _candidates, _reduction
from chainer_fast.functions.math import identity
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.NegativeSamplingShortcut())
class NegativeSamplingFunction(FunctionNode):
    """Loss that distinguishes the target from samples of noise.

    Attributes
    ----------
    samples : array or None
        Rows of the target and the samples of noise of the last forward pass.
    ignore_mask : array
        Whether each target is counted.
    wx : array or None
        Scores of the target and the samples.
    """

    ignore_mask: NdArray

    ignore_label = -1
    samples: Any = None

    def __init__(
            self, sampler: Callable[..., Any], sample_size: int,
            reduce: str = 'sum') -> None:
        super().__init__()
        _reduction.check(reduce, 'sum', 'no')
        self.sampler = sampler
        self.sample_size = sample_size
        self.reduce = reduce
        self.wx: NdArray | None = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't', 'W'))
        x_type, t_type, w_type = in_types
        for each, ndim in (x_type, 2), (t_type, 1), (w_type, 2):
            type_check.expect(each.ndim == ndim)
        type_check.expect(t_type.dtype == numpy.int32)
        type_check.expect(t_type.shape[0] == x_type.shape[0])
        for each in x_type, w_type:
            type_check.expect(each.dtype.kind == 'f', each.dtype == x_type.dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return self._losses(*inputs),

    def _losses(self, x, t, W):
        self.samples = backend.from_chx(
            self.sampler((len(t), self.sample_size + 1)))
        if self.samples.dtype.kind not in 'iu':
            raise IndexError(
                'the sampler must return integers, which are rows of W, but it '
                'returned an array of %s' % (self.samples.dtype,))
        self.ignore_mask = kernels.put_targets(t, self.samples, self.ignore_label)
        try:
            self.wx = kernels.scores(x, W, self.samples, self.ignore_mask)
        except IndexError as error:
            raise _labels.explain(error, len(W), 'rows of W', self.ignore_label, t=t,
                                  samples=self.samples) from None
        return kernels.losses(self.wx, self.ignore_mask, self.reduce == 'no')

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, t, W = self.get_retained_inputs()
        gx, gW = NegativeSamplingFunctionGrad(
            self.reduce, self.ignore_mask, self.sample_size, self.samples, self.wx
        ).apply((x, W, *grad_outputs))
        # Their types may differ if types were not checked.
        return cast.as_type(gx, x.dtype), None, cast.as_type(gW, W.dtype)


class NegativeSamplingFunctionGrad(FunctionNode):
    """Gradient of :class:`NegativeSamplingFunction`.

    Parameters
    ----------
    reduce : str
        ``'sum'`` or ``'no'``.
    ignore_mask : array
        Whether each target is counted.
    sample_size : int
        Number of samples.
    samples : array
        Target and samples in each row.
    wx : array or None
        Scores of the target and the samples, if already computed.
    """

    def __init__(
            self, reduce: str, ignore_mask: NdArray, sample_size: int, samples: NdArray,
            wx: NdArray | None) -> None:
        super().__init__()
        self.reduce = reduce
        self.ignore_mask = ignore_mask
        self.sample_size = sample_size
        self.samples = samples
        self.wx: NdArray | None = wx

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        x, W, gloss = inputs
        if self.wx is None:
            self.wx = kernels.scores(x, W, self.samples, self.ignore_mask)
        g = kernels.factors(self.wx, self.ignore_mask, gloss)
        where = self.samples, self.ignore_mask
        return (kernels.sum_rows(g, W, *where),
                kernels.spread_rows(g, x, *where, len(W)))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Compute the gradient again, with differentiable functions.
        again = config.enable_backprop
        with using_config('enable_backprop', True):
            # Identities separate the graph that the inputs themselves depend on.
            inputs = identity.identity(*self.get_retained_inputs())
            gs = self._differentiable(*inputs)
            gs, ggs = zip(*[
                (g, gg) for g, gg in zip(gs, grad_outputs, strict=True)
                if gg is not None], strict=True)
            result = grad(gs, inputs, ggs, enable_double_backprop=again)
        return tuple([result[i] for i in indexes])

    def _differentiable(self, x, W, gloss):
        xp = backend.get_array_module(x.array)
        counted = xp.nonzero(self.ignore_mask)[0]
        scores, = _candidates.Scores(self.samples[counted]).apply(
            (get_item.get_item(x, counted), W))
        signs = xp.ones(scores.shape, scores.dtype)
        signs[:, 0] = -1
        losses = sum_.sum(softplus.softplus(scores * signs), axis=1)
        if self.reduce == 'sum':
            losses = sum_.sum(losses)
        else:
            gloss = get_item.get_item(gloss, counted)
        return grad([losses], [x, W], [gloss], enable_double_backprop=True)


@overload
def negative_sampling(
        x: VariableOrArray, t: VariableOrArray, W: VariableOrArray,
        sampler: Callable[..., Any], sample_size: int, reduce: str = ..., *,
        return_samples: Literal[False] = ...) -> Variable: ...
@overload
def negative_sampling(
        x: VariableOrArray, t: VariableOrArray, W: VariableOrArray,
        sampler: Callable[..., Any], sample_size: int, reduce: str = ..., *,
        return_samples: bool = ...) -> Any: ...
def negative_sampling(
        x: VariableOrArray, t: VariableOrArray, W: VariableOrArray,
        sampler: Callable[..., Any], sample_size: int, reduce: str = 'sum', *,
        return_samples: bool = False) -> Variable | tuple[Variable, NdArray]:
    """Negative sampling loss, for learning embeddings of many classes.

    .. math::

        L_n = -\\log s(x_n \\cdot w_{t_n})
            - \\sum_k \\log s(-x_n \\cdot w_{z_{nk}})

    where :math:`s` is the sigmoid, and :math:`z_{nk}` are samples of noise.

    See: `Distributed Representations of Words and Phrases and their Compositionality
    <https://arxiv.org/abs/1310.4546>`_

    Parameters
    ----------
    x : Variable or array
        Samples, of a floating dtype and shape ``(N, K)``.
    t : Variable or array
        Classes of the samples, of dtype int32 and shape ``(N,)``; -1 for samples that
        are ignored.
    W : Variable or array
        Vectors of the classes, of the dtype of ``x`` and shape ``(classes, K)``.
    sampler : callable
        Function that accepts a shape and returns an array of samples of noise, such as
        :meth:`chainer_fast.utils.WalkerAlias.sample`.
    sample_size : int
        Number of samples of noise for each sample.
    reduce : str
        ``'sum'`` for the sum over the samples, ``'no'`` for the loss of each sample.
    return_samples : bool
        Whether to return the samples of noise, too.

    Returns
    -------
    Variable or tuple
        The loss, of the dtype of ``x``: a scalar, or an array of shape ``(N,)`` with
        ``reduce='no'``. With ``return_samples``, also an array of shape
        ``(N, sample_size + 1)`` with the target, followed by the samples of noise, in
        each row.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or ``t`` not of dtype int32 and shape ``(N,)``.
    ValueError
        If ``reduce`` has another value, or the vectors of ``x`` and ``W`` differ in
        length.
    IndexError
        If a target or a sample is not a class.

    See Also
    --------
    chainer_fast.functions.black_out
    chainer_fast.links.NegativeSampling

    Examples
    --------
    >>> x = np.zeros((1, 2), np.float32)            # all sigmoids are 1/2
    >>> W = np.ones((3, 2), np.float32)
    >>> t = np.array([0], np.int32)
    >>> def sampler(shape):
    ...     return np.full(shape, 2, np.int32)
    >>> loss, samples = F.negative_sampling(x, t, W, sampler, 2, return_samples=True)
    >>> samples
    array([[0, 2, 2]], dtype=int32)
    >>> loss.array                                  # 3 log 2
    array(2.0794, dtype=float32)
    """
    function = NegativeSamplingFunction(sampler, sample_size, reduce)
    loss, = function.apply((x, t, W))
    if not return_samples:
        return loss
    return loss, loss.device.send(function.samples)
