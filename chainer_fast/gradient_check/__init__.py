"""Comparison of gradients with finite differences.

A gradient :math:`g` of :math:`\\langle g_y, f(x) \\rangle` is checked along one random
direction :math:`u`: :math:`\\langle g, u \\rangle` should be close to
:math:`\\langle g_y, f(x + \\epsilon u) - f(x - \\epsilon u) \\rangle / 2 \\epsilon`.
This needs two more evaluations of :math:`f`, regardless of the number of elements of
:math:`x`.
"""
from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import _backprop, backend, configuration, utils, variable
from chainer_fast.gradient_check import _allclose
from chainer_fast.gradient_check._numerical_grad import (
    NondifferentiableError as NondifferentiableError,
    numerical_grad as numerical_grad,
)
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.variable import Variable


def assert_allclose(
        x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4,
        verbose: bool = True) -> None:
    """Deprecated name of :func:`chainer_fast.testing.assert_allclose`."""
    warnings.warn(
        'chainer.gradient_check.assert_allclose is deprecated: use '
        'chainer.testing.assert_allclose', DeprecationWarning)
    _allclose.assert_allclose(x, y, atol, rtol, verbose)


def check_backward(
        func: Callable[..., Any], x_data: NdArray | tuple[NdArray, ...],
        y_grad: NdArray | tuple[NdArray, ...] | None,
        params: Variable | tuple[Variable, ...] = (), eps: float = 1e-3,
        atol: float = 1e-5, rtol: float = 1e-4, no_grads: list[bool] | None = None,
        dtype: DTypeSpec = None, detect_nondifferentiable: bool = False) -> None:
    """Check gradients of a function against finite differences.

    Parameters
    ----------
    func : callable
        Function of one variable for each array in ``x_data``. It returns a variable or
        a tuple of variables.
    x_data : array or tuple of array
        Inputs. Integers are passed to the function, but have no gradients.
    y_grad : array or tuple of array or None
        Gradients of the outputs; some may be ``None``. The argument may be ``None`` if
        there is only one output, of shape ``()``; the gradient is then 1.
    params : Variable or tuple of Variable
        Other variables that the outputs depend on. Their gradients are checked, too.
        After the check, they have their original arrays and no gradients.
    eps : float
        Step of the differences. It should be so large that rounding errors do not
        matter, and so small that higher derivatives do not matter.
    atol, rtol : float
        Tolerances of the derivative along the direction.
    no_grads : list of bool, optional
        Whether each input has no gradient. Such inputs are not changed, and it is an
        error if backpropagation computes a gradient for them. Default: inputs that do
        not have a floating dtype.
    dtype : dtype, optional
        Floating dtype to compute the differences in. ``float64`` allows a small ``eps``
        if the inputs have low precision. Default: the dtype of each input.
    detect_nondifferentiable : bool
        Whether to look for kinks and jumps along the direction, as
        :func:`numerical_grad` does with ``diff_rtol=rtol``.

    Raises
    ------
    AssertionError
        If the derivatives differ. The message shows the inputs, the direction and both
        derivatives.
    NondifferentiableError
        If the function appears not to be differentiable along the direction.
    ValueError
        If arguments or outputs do not match each other.
    RuntimeError
        If an input of ``no_grads`` has a gradient.

    Examples
    --------
    >>> x = np.array([[1, 2], [3, 4]], 'f')
    >>> chainer.gradient_check.check_backward(F.sin, x, np.ones_like(x), dtype='d')
    """
    _CheckBackward(
        func, x_data, y_grad, params, no_grads=no_grads, dtype=dtype, eps=eps,
        atol=atol, rtol=rtol, detect_nondifferentiable=detect_nondifferentiable).run()


def _check_backward_with_params(func, x_data, y_grad, params, **options):
    """Check gradients of a function that receives its parameters as an argument.

    Like :func:`check_backward`, but ``func`` is called with two lists, of inputs and of
    parameters, and ``params`` are arrays.
    """
    _CheckBackwardWithParams(func, x_data, y_grad, params, **options).run()


def check_double_backward(
        func: Callable[..., Any], x_data: NdArray | tuple[NdArray, ...],
        y_grad: NdArray | tuple[NdArray, ...],
        x_grad_grad: NdArray | tuple[NdArray, ...],
        params: Variable | tuple[Variable, ...] = (),
        params_grad_grad: NdArray | tuple[NdArray, ...] = (), eps: float = 1e-3,
        atol: float = 1e-4, rtol: float = 1e-3, no_grads: list[bool] | None = None,
        dtype: DTypeSpec = None, detect_nondifferentiable: bool = False) -> None:
    """Check gradients of the gradients of a function against finite differences.

    The function whose gradients are checked maps the inputs and the gradients of the
    outputs of ``func`` to the gradients of the inputs and parameters.

    Parameters
    ----------
    func : callable
        Function of one variable for each array in ``x_data``. It returns a variable or
        a tuple of variables.
    x_data : array or tuple of array
        Inputs.
    y_grad : array or tuple of array
        Gradients of the outputs.
    x_grad_grad : array or tuple of array
        Gradients of the gradients of the floating-point inputs; some may be ``None``.
    params : Variable or tuple of Variable
        Other variables that the outputs depend on.
    params_grad_grad : array or tuple of array
        Gradients of the gradients of the parameters; some may be ``None``.
    no_grads : list of bool, optional
        Whether each of the inputs, followed by the gradients of outputs, has no
        gradient.
    eps, atol, rtol, dtype, detect_nondifferentiable
        See :func:`check_backward`.

    Raises
    ------
    AssertionError, NondifferentiableError, ValueError, RuntimeError
        As for :func:`check_backward`.

    Examples
    --------
    >>> x, gy, ggx = np.random.randn(3, 2, 4)
    >>> chainer.gradient_check.check_double_backward(F.tanh, x, gy, ggx)
    """
    x_data, y_grad, x_grad_grad, params, params_grad_grad = map(
        _as_tuple, (x_data, y_grad, x_grad_grad, params, params_grad_grad))
    n_x = len(x_data)

    def first_order_grad(*inputs):
        xs, gys = inputs[:n_x], inputs[n_x:]
        differentiated = [x for x in xs if x is not None and x.dtype.kind == 'f']
        leaves = (*differentiated, *params)
        _backprop_from(_as_tuple(func(*xs)), gys, enable_double_backprop=True)
        grads = tuple(x.grad_var for x in leaves)
        for x in leaves:
            # They are also leaves in the second backpropagation.
            x.cleargrad()
        return grads

    try:
        check_backward(
            first_order_grad, x_data + y_grad, x_grad_grad + params_grad_grad,
            params=params, eps=eps, atol=atol, rtol=rtol, no_grads=no_grads,
            dtype=dtype, detect_nondifferentiable=detect_nondifferentiable)
    except AssertionError as e:
        report = _format_arrays(
            inputs=x_data, grad_outputs=y_grad, grad_grad_inputs=x_grad_grad,
            grad_grad_params=params_grad_grad)
        utils._raise_from(
            AssertionError,
            'check_double_backward failed (eps=%s atol=%s rtol=%s)\n%s' % (
                eps, atol, rtol, report), e)


class _CheckBackward:
    """A check of gradients along one direction; see :func:`check_backward`."""

    def __init__(
            self, func: Callable[..., Any], xs, gys,
            params: Variable | tuple[Variable, ...], no_grads: list[bool] | None = None,
            dtype: DTypeSpec = None, eps: float = 1e-3, atol: float = 1e-5,
            rtol: float = 1e-4, detect_nondifferentiable: bool = False) -> None:
        self.func = func
        self.xs = _as_tuple(xs)
        self.gys = _as_tuple(gys)
        self.params = _as_tuple(params)
        self.eps = eps
        self.atol = atol
        self.rtol = rtol
        self.detect_nondifferentiable = detect_nondifferentiable
        self.dtype = None if dtype is None else numpy.dtype(dtype)
        if self.dtype is not None and self.dtype.kind != 'f':
            raise ValueError('dtype must be a floating type, not %s' % (self.dtype,))
        if no_grads is not None and len(no_grads) != len(self.xs):
            raise ValueError('no_grads has %d elements, but there are %d inputs' % (
                len(no_grads), len(self.xs)))
        self.no_gxs = [
            x is None or (x.dtype.kind != 'f' if no_grads is None else no_grads[i])
            for i, x in enumerate(self.xs)]
        self.device = backend.get_device_from_array(
            *[a for a in self.xs + self.params if a is not None])
        self.xp = self.device.xp
        if self.device._wraps:
            # Only the function receives arrays that wrap others.
            self.xs, self.gys = backend.from_chx(self.xs), backend.from_chx(self.gys)
            wrapping: Any = self.device
            self.xp = wrapping.fallback_device.xp

    def run(self) -> None:
        """Raise an exception unless the gradients are correct."""
        with backend.using_device(self.device):
            xs = [None if x is None else self._as_input(x) for x in self.xs]
            params, ys = self._call(xs)
            self._match_gys(ys)
            directions = self._sample_directions()
            grads = self._gradients(xs, params, ys)
            if not any(u.size for u in directions):
                return
            actual = sum(
                float((gx.astype(numpy.float64) * u).sum())
                for gx, u in zip(grads, directions, strict=True) if gx is not None)
            expected = self._numeric_derivative(directions)
        try:
            _allclose.assert_allclose(expected, actual, self.atol, self.rtol)
        except AssertionError as e:
            arrays = _format_arrays(
                inputs=self.xs, params=self.params, grad_outputs=self.gys,
                directions=directions)
            raise AssertionError(
                'check_backward failed (eps=%s atol=%s rtol=%s)\n%s'
                'derivative along the directions\n'
                '  numeric (x):  %s\n'
                '  backward (y): %s\n%s' % (
                    self.eps, self.atol, self.rtol, arrays, expected, actual, e)
            ) from None

    def _call(self, xs, params=None):
        """Call the function; if given, other arrays replace those of the parameters.

        Returns
        -------
        sequence of Variable
            The parameters.
        tuple of Variable
            The outputs.
        """
        if params is not None:
            self._set_params(params)
        return self.params, _as_tuple(self.func(*xs))

    def _set_params(self, arrays):
        for param, array in zip(self.params, arrays, strict=True):
            if param._has_wrapper:       # which prevents it from changing
                param._hold(self._on_device(array))
            else:
                param.array = array

    def _moved(self, elements):
        """Return the entries of a sequence that belong to inputs that are varied."""
        return [e for e, no_gx in zip(elements, self.no_gxs, strict=True) if not no_gx]

    def _match_gys(self, ys):
        """Check the gradients of outputs, or create that of a loss."""
        if len(self.gys) == 1 and self.gys[0] is None:
            if len(ys) != 1 or ys[0].shape != ():
                raise ValueError(
                    'y_grad can be omitted only for a loss, a single output of shape '
                    '(), not for outputs ' + utils._format_array_props(ys))
            self.gys = self.xp.ones_like(backend.from_chx(ys[0].array)),
        props = 'outputs:              %s\ngradients of outputs: %s' % (
            utils._format_array_props(ys), utils._format_array_props(self.gys))
        if len(ys) != len(self.gys):
            raise ValueError(
                'there must be one gradient for each output\n' + props)
        for y, gy in zip(ys, self.gys, strict=True):
            if gy is not None and (
                    y is None or (y.shape, y.dtype) != (gy.shape, gy.dtype)):
                raise ValueError(
                    'gradients of outputs must have the shapes and dtypes of the '
                    'outputs\n' + props)

    def _sample_directions(self):
        """Return a direction for each input and parameter that is varied.

        Together, the directions are a vector of length 1.
        """
        shapes = [e.shape for e in (*self._moved(self.xs), *self.params)]
        sizes = [utils.size_of_shape(shape) for shape in shapes]
        packed = self._sample_unit_vector(sum(sizes), self.xp)
        ends = itertools.accumulate(sizes)
        return [packed[end - size:end].reshape(shape)
                for shape, size, end in zip(shapes, sizes, ends, strict=True)]

    @staticmethod
    def _sample_unit_vector(size, xp):
        """Draw a unit vector without components near zero.

        A tiny component would leave its part of the gradient unchecked. Therefore one
        hundredth of the squared length is distributed evenly: a vector :math:`v` of
        normally distributed components becomes :math:`u_i = \\pm \\sqrt{0.99 v_i^2 /
        |v|^2 + 0.01 / n}`, with the same signs.

        Parameters
        ----------
        size : int
            Number of components.
        xp : module
            Array module.

        Returns
        -------
        array
            Vector of type float64, on the current device.
        """
        device = backend._guess_device_from_array_module(xp)
        if device._wraps:
            return device.send(_CheckBackward._sample_unit_vector(
                size, device.fallback_device.xp))
        v = xp.random.standard_normal(size)
        if size == 0:
            return v
        squares = v ** 2
        return xp.copysign(
            xp.sqrt(squares * (0.99 / squares.sum()) + 0.01 / size), v)

    def _gradients(self, xs, params, ys):
        """Return gradients of varied inputs and of parameters by backpropagation."""
        for p in params:
            p.cleargrad()
        _backprop_from(ys, [
            None if gy is None else variable.Variable(self._on_device(gy.copy()))
            for gy in self.gys])
        for i, (x, no_gx) in enumerate(zip(xs, self.no_gxs, strict=True)):
            if no_gx and x is not None and x.grad_var is not None:
                raise RuntimeError(
                    'input %d has a gradient, although it has none according to '
                    'no_grads'
                    % i)
        grads = [backend.from_chx(v.grad) for v in (*self._moved(xs), *params)]
        for p in params:
            p.cleargrad()
        return grads

    def _numeric_derivative(self, directions):
        """Return the derivative along the direction by finite differences."""
        n_moved = len(directions) - len(self.params)
        originals = [backend.from_chx(getattr(p, 'array', p)) for p in self.params]
        step = self.xp.zeros((), numpy.float64)

        def f():
            us = iter(directions[:n_moved])
            xs = [None if x is None else
                  self._as_input(
                      self._cast(x) if no_gx else self._cast(x, step * next(us)))
                  for x, no_gx in zip(self.xs, self.no_gxs, strict=True)]
            moved = [
                self._cast(p, step * u)
                for p, u in zip(originals, directions[n_moved:], strict=True)]
            # Functions that accept only one dtype are also checked in another one.
            with configuration.using_config('type_check', False):
                _, ys = self._call(xs, moved)
            return tuple(
                [None if y is None else backend.from_chx(y.array) for y in ys])

        try:
            derivative, = numerical_grad(
                f, (step,), self.gys, self.eps, self.detect_nondifferentiable,
                diff_rtol=self.rtol)
        finally:
            self._set_params(originals)
        return float(derivative)

    def _cast(self, array, shift=None):
        """Return an array plus a shift, in the dtype of the differences."""
        if array.dtype.kind != 'f':
            return array
        dtype = self.dtype or array.dtype
        if shift is not None:
            array = self.xp.asarray(array + shift)
        return array.astype(dtype, copy=False)

    def _as_input(self, array):
        return _as_input(self._on_device(array))

    def _on_device(self, array):
        """Return an array in the form that the function accepts."""
        return array if self.xp is self.device.xp else self.device.send(array)


class _CheckBackwardWithParams(_CheckBackward):
    """A check of gradients of a function that receives arrays of its parameters."""

    def _call(self, xs, params=None):
        variables = [variable.Parameter(self._on_device(p))
                     for p in (self.params if params is None else params)]
        return variables, _as_tuple(self.func(xs, variables))

    def _set_params(self, arrays):
        """Do nothing: the function does not change its arguments."""


def _as_tuple(xs):
    if isinstance(xs, list):
        return tuple(xs)
    return xs if isinstance(xs, tuple) else (xs,)


def _as_input(array):
    return variable.Variable(array, requires_grad=array.dtype.kind == 'f')


def _backprop_from(ys, gys, enable_double_backprop=False):
    """Backpropagate from outputs, except those without gradients."""
    pairs = [(y, gy) for y, gy in zip(ys, gys, strict=True) if gy is not None]
    if pairs:
        outputs, grads = zip(*pairs, strict=True)
        _backprop.backward(
            outputs, grads, enable_double_backprop=enable_double_backprop)


def _format_arrays(**groups):
    """Return a text of arrays, labeled by the names of their groups and indices."""
    return ''.join(
        '%s[%d]:\n%s\n' % (name, i, getattr(array, 'array', array))
        for name, arrays in groups.items() for i, array in enumerate(arrays))
