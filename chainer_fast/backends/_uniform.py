"""Uniform random numbers on a GPU, in one launch.

cuRAND draws numbers in (0, 1]. ``cupy.random.random_sample`` launches another kernel,
which replaces ones by zeros. Kernels that do so themselves, with ``below_one`` of
``kernels/noise/elements.hpp``, save that launch and use the same numbers.
"""
from chainer_fast.backends import _draws
from chainer_fast.backends._cupy import available, cupy

_rand = cupy.random.rand if available else None


def draw(shape, dtype):
    """Draw uniform numbers from the current generator of CuPy.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the result.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    cupy.ndarray
        Numbers of [0, 1), but possibly with ones instead of zeros.
    """
    return _draws.draw(shape, dtype, lambda: _draw(shape, dtype))


def rand(*shape, **options):
    """Draw like ``cupy.random.rand``; see :func:`draw`.

    If that function was replaced, as tests do, the replacement is called.
    """
    dtype = options.get('dtype', float)
    return _draws.draw(shape, dtype, lambda: (
        _draw(shape, dtype) if cupy.random.rand is _rand
        else cupy.random.rand(*shape, **options)))


def _draw(shape, dtype):
    state = cupy.random.get_random_state()
    # The method is not public, but is the same in CuPy 13 and 14.
    return getattr(state, '_random_sample_raw', state.random_sample)(shape, dtype)
