"""CUDA forms of kernels beside their references, and results of threads."""
import numpy as np

from chainer_fast._cpu import shared
from chainer_fast.backends import cuda
from tests import devices

#: Relative and absolute tolerance by dtype.
TOLERANCE = {'e': 5e-3, 'f': 2e-5, 'd': 1e-12}


def flat(results):
    """Yield the arrays in tuples, and in tuples in tuples."""
    if isinstance(results, tuple):
        for each in results:
            yield from flat(each)
    else:
        yield results


def check(kernel, *args, changed=0):
    """Compare the CUDA form of a kernel with its reference.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    *args
        Its arguments; arrays of NumPy.
    changed : int
        Number of arguments that are changed: the first ones.

    Returns
    -------
    tuple or array
        Results of the reference.
    """
    sent = [devices.Device('@cupy:0').send(arg) for arg in args]
    args = [arg.copy() if i < changed else arg for i, arg in enumerate(args)]
    with np.errstate(all='ignore'):
        expected = kernel.reference(*args)
    found = kernel.device(*sent)
    assert found is not NotImplemented
    for x, y in zip(flat((found, *sent[:changed])), flat((expected, *args[:changed])),
                    strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            assert isinstance(x, cuda.ndarray)
            assert_close(x, y)
    return expected


def assert_close(x, y):
    """Compare an array of any device with one of NumPy."""
    assert (x.dtype, x.shape) == (y.dtype, y.shape)
    x = devices.to_cpu(x)
    if y.dtype.kind == 'f':
        tolerance = TOLERANCE[y.dtype.char]
        np.testing.assert_allclose(x, y, tolerance, tolerance)
    else:
        np.testing.assert_array_equal(x, y)


def assert_threads_agree(one, other):
    """Compare what two numbers of threads have computed, products among it.

    Bits are the same, but not below AVX2: there BLAS computes all products, and in some
    of OpenBLAS's code the bits of an element depend on its place in a thread's part.
    """
    if shared.level() == 'base':
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-5 * abs(one).max())
    else:
        np.testing.assert_array_equal(other, one)


def layouts(array):
    """Return the array in other layouts: in Fortran's order, and with gaps."""
    gaps = np.repeat(array, 2, axis=-1)[..., ::2]
    return [array, np.asarray(array, order='F'), gaps]
