"""Normalization by the moments of a batch, or by given ones."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from chainer_fast import backend, memory_layouts
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.normalization import compiled
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.backends.kernels.normalization.axes import (
    _compute_axis,  # noqa: F401
    _compute_key_axis,  # noqa: F401
    batch_axes,
)
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, cast
from chainer_fast.functions.math import sqrt
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.functions.normalization import _second_order
from chainer_fast.functions.normalization._batch_axes import (
    _axis_option,
    _check_inputs,
    advise,
)
from chainer_fast.functions.normalization._batch_impl import (
    GeneralBatchNormalizationImpl,
    _BatchNormalizationImpl,  # noqa: F401
    _CudnnBatchNormalizationImpl,  # noqa: F401
    _IDeepBatchNormalizationImpl,  # noqa: F401
    _x_hat,
)
from chainer_fast.types import NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _impl_selector(batch_norm_func, inputs):
    """Return the default implementation, whatever the function and its inputs."""
    return GeneralBatchNormalizationImpl()


def _accept_layouts(function, inputs):
    """Accept inputs in any layout; ``forward`` converts them."""


def _layout_of(function, i):
    """Return the layout of an input; None is the standard layout."""
    layouts = function._input_layouts
    return None if layouts is None else layouts[i]


def _in_layouts(function, layouts, arrays):
    """Return output arrays in the given layouts."""
    if function._input_layouts is None:
        return arrays
    function.output_layouts = layouts
    return tuple([
        memory_layouts._transpose_array(array, None, layout)
        for array, layout in zip(arrays, layouts, strict=True)])


def _in_layout(v, layout):
    """Return a variable in a layout; return None for None."""
    if v is None or v.layout == layout:
        return v
    return memory_layouts.AsLayout(layout).apply((v,))[0]


_ONE_SAMPLE = (
    'A batch with no more than one sample has been given to F.batch_normalization, '
    'whose output is then beta for any sample. Is config.train true in an '
    'evaluation, or has the iterator left one sample for the last batch?')
_ONE_ELEMENT = (
    'F.batch_normalization has been given a batch of length one along all axes that it '
    'aggregates; its output is then beta for any values.')


@record(
    compiled.BatchNormalizationShortcut(),
    fields=('axis', 'key_axis', 'expander', 'eps', 'inv_std', 'mean', 'var',
            'running_mean', 'running_var', 'decay', 'forward_data', '_impl',
            '_impl_selector'))
class BatchNormalization(FunctionNode):
    """Normalizes a batch by its own moments.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    mean, var : array or None
        Running statistics to update in place.
    decay : float
        Weight of the previous running statistics in an update.
    axis : int, tuple of int or None
        Axes to aggregate.
    impl_selector : callable
        Function that returns an implementation, given the function node and its input
        arrays.

    Attributes
    ----------
    running_mean, running_var : array or None
        The running statistics.
    axis, key_axis : tuple of int
        Axes that are aggregated, and those of the parameters.
    mean, var, inv_std : array
        Moments of the batch, and the reciprocal of its standard deviation; in single
        precision if all inputs are float16.
    """

    eps: float
    decay: float
    running_mean: NdArray | None
    running_var: NdArray | None
    key_axis: tuple[int, ...]
    expander: tuple[Any, ...]
    var: Any

    mean: Any = None
    inv_std: Any = None
    forward_data: Any = None

    # The shortcut handles only this selector and this implementation.
    _default_selector = staticmethod(_impl_selector)
    _default_impl = GeneralBatchNormalizationImpl

    def __init__(
            self, eps: float = 2e-5, mean: NdArray | None = None,
            var: NdArray | None = None, decay: float = 0.9,
            axis: int | tuple[int, ...] | None = None,
            impl_selector: Callable[..., Any] = _impl_selector) -> None:
        super().__init__()
        self.axis: Any = _axis_option(axis)
        self.eps, self.decay = _checks.as_float(eps), decay
        self.running_mean, self.running_var = mean, var
        self._impl_selector = impl_selector

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'gamma', 'beta'))
        _check_inputs(in_types, self.axis)

    def _advice(self, expect, x, gamma, *others):
        return advise(expect, x, gamma)

    check_layout_forward = _accept_layouts

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gamma, beta = inputs
        layout = _layout_of(self, 0)
        x = memory_layouts._transpose_array(x, layout, None)
        self.axis, self.key_axis, self.expander = batch_axes(
            x.ndim, gamma.ndim, self.axis)
        if x.size == gamma.size:
            self._warn_of_constant_output(x.shape)
        self._impl = self._impl_selector(self, inputs)
        y, *_, self.mean, self.var, self.inv_std, self.forward_data = (
            self._impl.forward(
                self.axis, gamma, x, None, backend.get_array_module(x), self.expander,
                beta, self.eps, self.decay, self.running_mean, self.running_var))
        return _in_layouts(self, (layout,), (y,))

    def _warn_of_constant_output(self, shape):
        if all([shape[i] == 1 for i in self.axis]):
            warnings.warn(
                _ONE_SAMPLE if 0 in self.axis else _ONE_ELEMENT, stacklevel=2)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, gamma = self.get_retained_inputs()
        grads = BatchNormalizationGrad(
            self.eps, self.expander, self.axis, self.mean, self.var, self.inv_std,
            self.key_axis, self._impl, self.forward_data,
        ).apply((x, gamma, grad_outputs[0]))
        return tuple([grads[i] for i in indexes])


class BatchNormalizationGrad(FunctionNode):
    """Gradients of :class:`BatchNormalization`.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    expander : tuple
        Index that broadcasts parameters to the values.
    axis : tuple of int
        Axes that were aggregated.
    mean, var, inv_std : array
        Statistics of the batch.
    key_axis : tuple of int
        Axes of the parameters.
    impl : object
        The implementation that normalized the batch.
    forward_data : object
        Values that the implementation stored for the gradients.
    """

    forward_data: Any
    mean: NdArray
    var: NdArray
    inv_std: NdArray
    axis: Sequence[int]
    key_axis: Sequence[int]
    expander: tuple[Any, ...]

    def __init__(
            self, eps: float, expander: Sequence[Any], axis: Sequence[int],
            mean: NdArray, var: NdArray, inv_std: NdArray, key_axis: Sequence[int],
            impl: Any, forward_data: Any) -> None:
        super().__init__()
        self._impl, self.forward_data = impl, forward_data
        self.mean, self.var, self.inv_std = mean, var, inv_std
        self.eps = eps
        self.axis, self.key_axis, self.expander = axis, key_axis, expander

    check_layout_forward = _accept_layouts

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        layout = _layout_of(self, 0)
        x, gamma, gy = inputs
        x = memory_layouts._transpose_array(x, layout, None)
        gy = memory_layouts._transpose_array(gy, _layout_of(self, 2), None)
        gx, _, ggamma, gbeta = self._impl.backward(
            self.axis, gamma, gy, x, None, backend.get_array_module(x), self.expander,
            self.mean, self.inv_std, self.eps, self.var, self.forward_data)
        return _in_layouts(self, (layout, None, None), (gx, ggamma, gbeta))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        layouts = [v.layout for v in inputs]
        inputs = x, gamma, _ = tuple([_in_layout(v, None) for v in inputs])
        grad_outputs = [_in_layout(v, None) for v in grad_outputs]
        dtype = _dtypes.interm(x, gamma)
        shape = tuple([
            n if i in self.key_axis else 1 for i, n in enumerate(x.shape)])
        x, gamma, gy, ggx, gggamma, ggbeta = [
            cast.as_type(v, dtype) for v in inputs + tuple(grad_outputs)]
        gamma, gggamma, ggbeta = [
            _second_order.parameter_view(v, shape) for v in (gamma, gggamma, ggbeta)]
        grads = _second_order.gradients(
            x, gamma, gy, ggx, gggamma, ggbeta, self.axis, self.eps)
        # These are gradients of one function: all exist, even if they are zero.
        grads = [
            _second_order.zeros(v) if g is None else g
            for g, v in zip(grads, (x, gamma, gy), strict=True)]
        return tuple([
            _in_layout(_second_order.fit(grads[i], inputs[i]), layouts[i])
            for i in indexes])


@record(
    compiled.FixedBatchNormalizationShortcut(),
    fields=('axis', 'key_axis', 'expander', 'eps', 'inv_std', 'inv_var'))
class FixedBatchNormalization(FunctionNode):
    """Normalizes a batch by given moments.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    axis : int, tuple of int or None
        Axes over which the moments were computed.

    Attributes
    ----------
    axis, key_axis : tuple of int
        Axes over which the moments were computed, and axes of the parameters.
    inv_std, inv_var : array
        Reciprocals of the standard deviation and the variance.
    """

    key_axis: tuple[int, ...]
    expander: tuple[Any, ...]

    inv_std: Any = None
    inv_var: Any = None

    def __init__(
            self, eps: float = 2e-5,
            axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.eps: float = _checks.as_float(eps)
        self.axis: Any = _axis_option(axis)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'gamma', 'beta', 'mean', 'var'))
        _check_inputs(in_types, self.axis)

    def _advice(self, expect, x, gamma, *others):
        return advise(expect, x, gamma)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 3, 4))
        x, gamma, beta, mean, var = inputs
        self.axis, self.key_axis, self.expander = batch_axes(
            x.ndim, gamma.ndim, self.axis)
        var, = _dtypes.cast_all((var,), _dtypes.interm(x, gamma))
        self.inv_std, self.inv_var = kernels.inverses(var, self.eps)
        return kernels.batch_apply(x, gamma, beta, mean, self.inv_std, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grads = FixedBatchNormalizationGrad(
            self.eps, self.expander, self.axis, self.inv_std, self.inv_var,
        ).apply((*self.get_retained_inputs(), *grad_outputs))
        # Their types may differ if types were not checked.
        return tuple([
            cast.as_type(grads[i], self.inputs[i].dtype) for i in indexes])


class FixedBatchNormalizationGrad(FunctionNode):
    """Gradients of :class:`FixedBatchNormalization`.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    expander : tuple
        Index that broadcasts parameters to the values.
    axis : tuple of int
        Axes over which the moments were computed.
    inv_std, inv_var : array
        Reciprocals of the standard deviation and the variance.
    """

    axis: Sequence[int]
    expander: tuple[Any, ...]
    eps: float
    inv_std: NdArray
    inv_var: NdArray

    def __init__(
            self, eps: float, expander: Sequence[Any], axis: Sequence[int],
            inv_std: NdArray, inv_var: NdArray) -> None:
        super().__init__()
        self.axis, self.expander = axis, expander
        self.eps, self.inv_std, self.inv_var = eps, inv_std, inv_var

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2, 3, 4))
        x, gamma, mean, _, gy = inputs
        return kernels.fixed_backward(
            x, gamma, gy, mean, self.inv_std, self.inv_var, self.axis)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        dtype = _dtypes.interm(*inputs[:2])
        param_shape = inputs[1].shape
        shape = tuple([
            1 if i in self.axis else n for i, n in enumerate(inputs[0].shape)])

        def prepared(v):
            v = cast.as_type(v, dtype)
            if v is not None and v.shape == param_shape:
                v = _second_order.parameter_view(v, shape)
            return v

        def zero_or(v, like):
            if v is None:
                return like.array * 0
            return v

        x, gamma, mean, var, gy = [prepared(v) for v in inputs]
        likes = x, gamma, gamma, gamma, gamma
        ggx, gggamma, ggbeta, ggmean, ggvar = [
            zero_or(prepared(v), like)
            for v, like in zip(grad_outputs, likes, strict=True)]

        inv_std = sqrt.rsqrt(var + self.eps)
        x_hat = _x_hat(x, mean, inv_std)
        gbeta = sum_mod.sum_to(gy, shape)
        ggamma = sum_mod.sum_to(gy * x_hat, shape)
        weight = sum_mod.sum_to(ggx * gy, shape)
        # The gradients of mean and variance are multiples of those of beta and gamma,
        # and pass their own gradients to them.
        factor = gamma * inv_std
        by_ggamma = gggamma - 0.5 * inv_std * factor * ggvar
        by_gbeta = ggbeta - factor * ggmean
        by_factor = weight - ggmean * gbeta - 0.5 * inv_std * ggvar * ggamma
        by_inv_std = gamma * by_factor - 0.5 * factor * ggvar * ggamma
        # x_hat depends on x, on the mean and, again, on inv_std.
        by_x_hat = by_ggamma * gy
        by_inv_std = by_inv_std + by_ggamma * ggamma / inv_std
        grads = (
            by_x_hat * inv_std,
            inv_std * by_factor,
            -inv_std * by_ggamma * gbeta,
            -0.5 * inv_std * inv_std * inv_std * by_inv_std,
            ggx * factor + by_ggamma * x_hat + broadcast.broadcast_to(
                by_gbeta, x.shape),
        )
        return tuple([_second_order.fit(grads[i], inputs[i]) for i in indexes])


def batch_normalization(
        x: VariableOrArray, gamma: VariableOrArray, beta: VariableOrArray, *,
        eps: float = 2e-5, running_mean: NdArray | None = None,
        running_var: NdArray | None = None, decay: float = 0.9,
        axis: int | tuple[int, ...] | None = None,
        impl_selector: Callable[..., Any] = _impl_selector,
        **kwargs: NoReturn) -> Variable:
    """Normalize a batch by its mean and variance, scale and shift.

    .. math::

        y = \\gamma \\frac{x - \\mathrm{mean}(x)}{\\sqrt{\\mathrm{var}(x) + \\epsilon}}
            + \\beta

    See: `Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift <https://arxiv.org/abs/1502.03167>`_

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype.
    gamma : Variable or array
        Factors. They have the axes of ``x`` that are not aggregated, and may have
        another floating dtype.
    beta : Variable or array
        Offsets, of the shape and dtype of ``gamma``.
    eps : float
        Constant added to the variance to keep the quotient finite.
    running_mean, running_var : array or None
        Running statistics of the shape of ``gamma``, which are updated in place; the
        variance is updated by its unbiased estimate. Pass both or neither.
    decay : float
        Weight of the previous running statistics in an update.
    axis : int, tuple of int or None
        Axes to aggregate, in ascending order. By default the first axis and the axes
        after those of ``gamma``.
    impl_selector : callable
        Function that chooses an implementation; for extensions.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or the shapes of ``gamma`` and ``beta`` do not
        match it.
    RuntimeError
        If ``axis`` is a float or a tuple that is not in ascending order.
    TypeError
        If only one of the running statistics is given, or an argument is unknown.
    ValueError
        If the shape of the running statistics is not that of ``gamma``, or the retired
        argument ``train`` is given.

    Warns
    -----
    UserWarning
        If there is only one element to aggregate; the result is then ``beta``.

    See Also
    --------
    chainer_fast.functions.fixed_batch_normalization
    chainer_fast.functions.group_normalization
    chainer_fast.functions.layer_normalization
    chainer_fast.links.BatchNormalization

    Examples
    --------
    >>> x = np.array([[1., 10.], [3., 30.]], np.float32)
    >>> gamma = np.array([1., 2.], np.float32)
    >>> beta = np.array([0., 5.], np.float32)
    >>> F.batch_normalization(x, gamma, beta).array
    array([[-1.,  3.],
           [ 1.,  7.]], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'train')
    return BatchNormalization(
        eps, running_mean, running_var, decay, axis, impl_selector,
    ).apply((x, gamma, beta))[0]


def fixed_batch_normalization(
        x: VariableOrArray, gamma: VariableOrArray, beta: VariableOrArray,
        mean: VariableOrArray, var: VariableOrArray, eps: float = 2e-5,
        axis: int | tuple[int, ...] | None = None) -> Variable:
    """Normalize a batch by a given mean and variance, scale and shift.

    .. math:: y = \\gamma \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} + \\beta

    for the mean :math:`\\mu` and the variance :math:`\\sigma^2`. It replaces
    :func:`batch_normalization` in testing, since the statistics do not depend on the
    batch.

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype.
    gamma, beta : Variable or array
        Factors and offsets, with the axes of ``x`` that are not aggregated.
    mean, var : Variable or array
        Mean and variance, of the shape and dtype of ``gamma``.
    eps : float
        Constant added to the variance.
    axis : int, tuple of int or None
        Axes along which the statistics are constant. By default the first axis and the
        axes after those of ``gamma``.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or the shapes of the other arguments do not
        match it.
    RuntimeError
        If ``axis`` is a float or a tuple that is not in ascending order.

    See Also
    --------
    chainer_fast.functions.batch_normalization
    chainer_fast.links.BatchNormalization

    Examples
    --------
    >>> x = np.array([[1., 10.], [3., 30.]], np.float32)
    >>> gamma, beta = np.ones(2, np.float32), np.zeros(2, np.float32)
    >>> mean = np.array([1., 20.], np.float32)
    >>> var = np.array([4., 100.], np.float32)
    >>> F.fixed_batch_normalization(x, gamma, beta, mean, var).array
    array([[ 0., -1.],
           [ 1.,  1.]], dtype=float32)
    """
    return FixedBatchNormalization(eps, axis).apply((x, gamma, beta, mean, var))[0]
