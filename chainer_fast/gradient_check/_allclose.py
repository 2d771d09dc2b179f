"""Comparison of arrays on any devices."""
from __future__ import annotations

import numpy

from chainer_fast import backend, utils
from chainer_fast.types import NdArray


def assert_allclose(
        x: NdArray | float, y: NdArray | float, atol: float = 1e-5, rtol: float = 1e-4,
        verbose: bool = True) -> None:
    """Assert that two arrays on any devices are equal up to a tolerance.

    Elements are equal up to the tolerance if :math:`|x - y| \\le \\mathit{atol} +
    \\mathit{rtol} |y|`. NaNs equal NaNs, and infinities equal infinities of the same
    sign.

    Parameters
    ----------
    x, y : array or scalar
        Arrays to compare; ``y`` is the reference. They may be on different devices.
    atol, rtol : float
        Absolute tolerance, and tolerance relative to ``y``.
    verbose : bool
        Whether NumPy's part of the message includes the values.

    Raises
    ------
    AssertionError
        If an element or the shape differs. The message ends with the worst element.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 2.00001]))
    """
    x, y = [backend.CpuDevice().send(utils.force_array(a)) for a in (x, y)]
    try:
        numpy.testing.assert_allclose(x, y, rtol, atol, verbose=verbose)
    except AssertionError as e:
        text = str(e)
    else:
        return
    x, y = numpy.asarray(x), numpy.asarray(y)
    raise AssertionError('%s\n\n%s' % (text, '\n'.join(
        _mismatch_report(x, y, atol, rtol))))


def _mismatch_report(x, y, atol, rtol):
    """Yield lines about the difference: array properties and the worst element."""
    yield 'assert_allclose: x is %s %s, y is %s %s' % (
        x.shape, x.dtype, y.shape, y.dtype)
    if x.shape == y.shape and x.size > 0 and x.dtype.kind in 'biufc':
        # In float64, so that unsigned integers and float16 do not overflow.
        wide = numpy.promote_types(numpy.promote_types(x.dtype, y.dtype), 'd')
        with numpy.errstate(all='ignore'):
            error = abs(x.astype(wide) - y.astype(wide))
            tolerance = atol + rtol * abs(y.astype(wide))
            excess = error - tolerance
            # NaN means a NaN or an infinity without a counterpart, which is the worst
            # case.
            worst = numpy.unravel_index(
                numpy.where(numpy.isnan(excess), numpy.inf, excess).argmax(), x.shape)
            relative = error[worst] / abs(y[worst].astype(wide))
        yield '  worst index: %s' % (tuple(int(i) for i in worst),)
        yield '  x: %s' % x[worst]
        yield '  y: %s' % y[worst]
        yield '  absolute error: %s' % error[worst]
        yield '  relative error: %s' % relative
        yield '  tolerance: %s (atol=%s rtol=%s)' % (tolerance[worst], atol, rtol)
    for name, array in (('x', x), ('y', y)):
        yield '%s: %s' % (name, str(array).replace('\n', '\n   '))
