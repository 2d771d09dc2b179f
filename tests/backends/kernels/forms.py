"""Comparison of a kernel's form for the GPU with the reference on the processor."""
import numpy as np

from tests import devices

TOLERANCES = {'e': 5e-3, 'f': 2e-5, 'd': 1e-12}


def _arrays(results):
    """The arrays of a result, those in tuples of tuples included."""
    if isinstance(results, tuple):
        return [array for each in results for array in _arrays(each)]
    return [results]


def assert_close(got, expected):
    """Compare arrays, by the tolerance of the less precise one."""
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    tolerance = TOLERANCES.get(got.dtype.char, 0)
    np.testing.assert_allclose(
        got.astype('d'), expected.astype('d'), tolerance, tolerance)


def assert_same(device, kernel, *args):
    """Compare the results of a kernel's forms; return those of the device."""
    with np.errstate(all='ignore'):
        expected = _arrays(kernel.reference(*args))
    results = kernel.device(*device.send(args))
    assert results is not NotImplemented
    for a, b in zip(devices.to_cpu(_arrays(results)), expected, strict=True):
        assert_close(a, b)
    return results


def layouts(array):
    """Return the array in other layouts: in Fortran's order, and with gaps."""
    gaps = np.repeat(array, 2, axis=-1)[..., ::2]
    return [array, np.asarray(array, order='F'), gaps]
