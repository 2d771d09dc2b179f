"""Comparison of arrays, whichever devices they are on."""
import numpy

from chainer_fast import backend, utils


def assert_allclose(x, y, atol=1e-5, rtol=1e-4, verbose=True):
    """Assert that two arrays agree up to a tolerance, whichever devices they are on.

    Elements agree where :math:`|x - y| \\le \\mathit{atol} + \\mathit{rtol} |y|`. NaNs
    and infinities agree with their like.

    Parameters
    ----------
    x, y : array or scalar
        What is compared; ``y`` is the reference. They may be on different devices.
    atol, rtol : float
        Absolute tolerance, and tolerance relative to ``y``.
    verbose : bool
        Whether NumPy's part of the message shows the values.

    Raises
    ------
    AssertionError
        If an element or the shape differs. The message ends with the worst element.
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
    """Yield lines that tell what differs: array properties and the worst element."""
    yield 'assert_allclose: x is %s %s, y is %s %s' % (
        x.shape, x.dtype, y.shape, y.dtype)
    if x.shape == y.shape and x.size > 0 and x.dtype.kind in 'biufc':
        # Double precision, so that unsigned and half-precision numbers do not overflow.
        wide = numpy.promote_types(numpy.promote_types(x.dtype, y.dtype), 'd')
        with numpy.errstate(all='ignore'):
            error = abs(x.astype(wide) - y.astype(wide))
            tolerance = atol + rtol * abs(y.astype(wide))
            excess = error - tolerance
            # A NaN here stands for unlike NaNs or infinities: nothing is worse.
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
