"""Gradients by finite differences."""
from typing import Any

import numpy

from chainer_fast import backend


class NondifferentiableError(Exception):
    """Raised if a function appears not to be differentiable."""


def numerical_grad(
        f, inputs, grad_outputs, eps=1e-3, detect_nondifferentiable=False,
        diff_atol=0, diff_rtol=1e-2, center_outputs=None):
    """Compute gradients by central finite differences, one element after the other.

    They are :math:`(f(x + \\epsilon) - f(x - \\epsilon)) / 2 \\epsilon`. With
    ``detect_nondifferentiable``, the formula for five points is used ([AS]_, 25.3.6),
    :math:`(-f(x + \\epsilon) + 8 f(x + \\epsilon / 2)
    - 8 f(x - \\epsilon / 2) + f(x - \\epsilon)) / 6 \\epsilon`.

    Parameters
    ----------
    f : callable
        Function without arguments that returns a tuple of outputs computed from the
        inputs.
    inputs : tuple of array
        Floating-point arrays that are changed in place while ``f`` is called.
    grad_outputs : tuple of array or number or None
        Gradients of the outputs. Outputs with ``None`` are ignored.
    eps : float
        Step of the differences, positive.
    detect_nondifferentiable : bool
        Whether to look for kinks and jumps: ``f`` is evaluated at five points, at
        distances of up to ``eps``, and a parabola is fitted to each output element. The
        root mean square of its residuals must not exceed ``diff_atol + diff_rtol * d``,
        where ``d`` is the difference between the largest and the smallest output.
    diff_atol, diff_rtol : float
        Tolerances of the residuals.
    center_outputs : tuple of array, optional
        Has no effect: all five points are evaluated in the same way and have the same
        precision.

    Returns
    -------
    list of array
        Gradients, with the dtypes and shapes of the inputs.

    Raises
    ------
    RuntimeError
        If an input is not floating-point, or devices are mixed.
    AssertionError
        If ``eps`` is not positive, or outputs do not match their gradients.
    NondifferentiableError
        If a kink or jump is detected.

    References
    ----------
    .. [AS] M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964.

    Examples
    --------
    >>> x = np.array([1.0, 2.0])
    >>> gx, = chainer.gradient_check.numerical_grad(
    ...     lambda: (x ** 2,), (x,), (np.ones(2),))
    >>> gx
    array([2., 4.])
    """
    assert eps > 0, 'expected a positive step eps, not %s' % (eps,)
    inputs = tuple(inputs)
    grad_outputs = tuple(grad_outputs)
    _check_same_device(inputs + grad_outputs)
    for x in inputs:
        if x.dtype.kind != 'f':
            raise RuntimeError(
                'gradients exist only for inputs of floating type, not %s' % (x.dtype,))

    stencil, divisor = _FIVE_POINTS if detect_nondifferentiable else _TWO_POINTS
    center: Any = _evaluate(f, grad_outputs) if detect_nondifferentiable else None
    grads = [backend.get_array_module(x).zeros_like(x) for x in inputs]
    for i_in, (x, gx) in enumerate(zip(inputs, grads, strict=True)):
        for index in numpy.ndindex(x.shape):
            value = float(x[index])
            ys = []
            try:
                for offset, _ in stencil:
                    x[index] = value + offset * eps
                    ys.append(_evaluate(f, grad_outputs))
            finally:
                x[index] = value
            if detect_nondifferentiable:
                _check_differentiable(
                    zip(*ys[:2], center, *ys[2:], strict=True), diff_atol, diff_rtol,
                    'input %d: %s\nindex: %s\neps: %s' % (i_in, x, index, eps))
            for i_out, gy in enumerate(grad_outputs):
                if gy is not None:
                    difference = sum(
                        weight * y[i_out] for (_, weight), y in zip(
                            reversed(stencil), reversed(ys), strict=True))
                    gx[index] += (difference * gy).sum() / (divisor * eps)
    return grads


# Offsets in steps and weights of the points, and the divisor of their sum.
_TWO_POINTS = ((-1, -1), (1, 1)), 2
_FIVE_POINTS = ((-1, 1), (-0.5, -8), (0.5, 8), (1, -1)), 6


def _evaluate(f, grad_outputs):
    """Return outputs in double precision, and ``None`` for those without gradients."""
    outputs = f()
    assert isinstance(outputs, (tuple, list)), (
        'f must return a tuple of outputs, not %s' % type(outputs).__name__)
    assert len(outputs) == len(grad_outputs), (
        'f returned %d outputs, but there are %d gradients of outputs' % (
            len(outputs), len(grad_outputs)))
    copies = []
    for y, gy in zip(outputs, grad_outputs, strict=True):
        if gy is None:
            copies.append(None)
            continue
        assert numpy.isscalar(gy) or numpy.shape(y) == gy.shape, (
            'an output has shape %s, but its gradient %s' % (numpy.shape(y), gy.shape))
        # Always a copy: an output may share memory with an input.
        copies.append(backend.get_array_module(y).array(y, dtype=numpy.float64))
    return copies


def _check_same_device(arrays):
    """Raise ``RuntimeError`` if arrays of several libraries are mixed."""
    libraries = {backend.get_array_module(a).__name__ for a in arrays
                 if a is not None and not numpy.isscalar(a)}
    if len(libraries) > 1:
        raise RuntimeError('arrays are mixed of ' + ' and '.join(sorted(libraries)))


def _check_differentiable(outputs, atol, rtol, where):
    """Raise ``NondifferentiableError`` unless outputs look smooth.

    Parameters
    ----------
    outputs : iterable of tuple of array
        For each output, its values at five equidistant points, or ``None`` five times.
    atol, rtol : float
        Tolerances of the residuals of a parabola.
    where : str
        Description of the points for the message.
    """
    for i_out, ys in enumerate(outputs):
        if ys[0] is None:
            continue
        points = numpy.stack([backend.CpuDevice().send(y) for y in ys])
        finite = numpy.isfinite(points)
        reason = None
        if (finite != finite[0]).any():
            reason = 'some of the outputs are infinite or NaN, others are not'
        else:
            points = numpy.where(finite, points, 0)
            spread = numpy.ptp(points, axis=0)
            residual = _residual_of_parabola(points)
            bound = atol + rtol * spread
            if ((spread > 0) & (residual > bound)).any():
                reason = 'residuals of parabolas: %s\ntolerance (%s + %s * %s): %s' % (
                    residual, atol, rtol, spread, bound)
        if reason is not None:
            raise NondifferentiableError(
                'the function appears not to be differentiable at a point\n%s\noutput '
                '%s:'
                '\n%s\n%s' % (where, i_out, '\n'.join(
                    '  x %s: %s' % row for row in zip(
                        ('- eps  ', '- eps/2', '       ', '+ eps/2', '+ eps  '), ys,
                        strict=True)), reason))


# The third and the fourth of the orthonormal polynomials of five equidistant points:
# values are on a parabola if and only if they are orthogonal to both.
_BEYOND_PARABOLA = numpy.array([
    [-1, 2, 0, -2, 1] / numpy.sqrt(10),
    [1, -4, 6, -4, 1] / numpy.sqrt(70)])


def _residual_of_parabola(points):
    """Return the root mean square of the residuals of a parabola.

    It is the parabola closest to five equidistant points, which are along the first
    axis.
    """
    components = numpy.tensordot(_BEYOND_PARABOLA, points, 1)
    return numpy.sqrt((components ** 2).sum(axis=0) / len(points))
