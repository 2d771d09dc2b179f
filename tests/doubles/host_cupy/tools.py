"""Fusion, memoization and other tools of CuPy."""
import functools

import numpy

from tests.doubles.host_cupy import device, ledger
from tests.doubles.host_cupy.array import ledger_launch, ndarray, operand
from tests.doubles.host_cupy.elementwise import elementwise
from tests.doubles.host_cupy.registry import routine


@routine
def get_array_module(*args):
    import cupy
    for a in args:
        if isinstance(a, ndarray):
            return cupy
    return numpy


_memos = []


@routine
def memoize(for_each_device=False):
    def decorator(f):
        memo = {}
        _memos.append(memo)

        @functools.wraps(f)
        def memoized(*args, **kwargs):
            key = (device.current() if for_each_device else None, args,
                   frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = f(*args, **kwargs)
            return memo[key]
        return memoized
    return decorator


@routine
def clear_memo():
    for memo in _memos:
        memo.clear()


@routine
def fuse(*args, **kwargs):
    """Return a function that counts as one launch, of elementwise functions alone."""
    def decorator(f):
        @functools.wraps(f)
        def fused(*operands):
            for x in operands:
                operand(x) if x is not None else None
            if not any(isinstance(x, ndarray) for x in operands):
                return f(*operands)
            with ledger.fusing() as counts:
                result = f(*operands)
            _check_fused(f, counts)
            first = result[0] if isinstance(result, tuple) else result
            ledger_launch(kwargs.get('kernel_name') or f.__name__,
                          1 if first is None else first.size)
            return result
        return fused
    return decorator(args[0]) if args and callable(args[0]) else decorator


_REDUCTIONS = ('sum', 'prod', 'amax', 'amin', 'max', 'min', 'all', 'any')
_NOT_FUSED = ('take', 'getitem', 'setitem', 'concatenate', 'copy', 'reshape', 'gemm',
              'argmax', 'argmin', 'sort', 'scan', 'mean')


def _check_fused(f, counts):
    if counts.synchronisations or counts.to_device:
        raise TypeError('%s looks at elements, which cannot be fused' % f)
    bad = [name for name in counts.launches if name in _NOT_FUSED]
    if bad or sum(name in _REDUCTIONS for name in counts.launches) > 1:
        raise NotImplementedError('%s cannot be fused: %s' % (f, counts.launches))


@routine(module='cupyx')
class errstate:
    """What becomes of errors of linear algebra; other settings do nothing."""

    linalg = 'ignore'

    def __init__(self, *, divide=None, over=None, under=None, invalid=None,
                 linalg=None, fallback_mode=None):
        self._linalg = linalg

    def __enter__(self):
        self._previous = errstate.linalg
        errstate.linalg = self._linalg or errstate.linalg
        return self

    def __exit__(self, *exc_info):
        errstate.linalg = self._previous


@routine(module='cupyx')
def rsqrt(x):
    x = operand(x)
    with numpy.errstate(all='ignore'):
        return elementwise('rsqrt', (1 / numpy.sqrt(x)).astype(x.dtype))


@routine(module='cupyx')
def scatter_add(a, slices, value):
    a.scatter_add(slices, value)


@routine(module='cupyx')
def scatter_max(a, slices, value):
    a.scatter_max(slices, value)


@routine(module='cupyx')
def scatter_min(a, slices, value):
    a.scatter_min(slices, value)


@routine(module='cupyx')
def get_runtime_info(*, full=True):
    import cupy
    return 'CuPy Version : %s\n(a stand-in on NumPy)\n' % cupy.__version__
