"""The ways to a result, and whether two of them have led to the same."""
import contextlib
import sys
import warnings

import numpy as np

import chainer_fast
from chainer_fast._help import mistakes
from chainer_fast.variable import Variable


class General(chainer_fast.FunctionHook):
    """Its presence alone makes every function go the general way."""

    name = 'general'


def same_bits(a, b):
    if a is None or b is None:
        return a is b
    if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == 'f':
        # Which of several NaN it is depends on the order of operands.
        nan = np.isnan(a)
        if not np.array_equal(nan, np.isnan(b)):
            return False
        a, b = np.where(nan, a.dtype.type(0), a), np.where(nan, b.dtype.type(0), b)
    return a.tobytes() == b.tobytes()


def same_but_rounding(a, b, largest):
    """Tell whether two results differ by less than some roundings of the inputs."""
    if a is None or b is None or a.dtype.kind != 'f':
        return same_bits(a, b)
    tolerance = 8 * float(np.finfo(a.dtype).eps)
    return a.dtype == b.dtype and a.shape == b.shape and np.allclose(
        a.astype('d'), b.astype('d'), tolerance, tolerance * largest, equal_nan=True)


def differentiate(make, arrays, required, gy_of):
    xs = [Variable(x, requires_grad=r) for x, r in zip(arrays, required, strict=True)]
    ys = make().apply(xs if len(xs) > 4 else tuple(xs))
    for y in ys:
        y.grad = gy_of(y.array)
    chainer_fast.backward(ys)
    return [*[y.array for y in ys], *[x.grad for x in xs]]


def outcome(errors, *args):
    """Return the arrays, or else the exception; and the warnings."""
    mistakes._warned.clear()
    with warnings.catch_warnings(record=True) as caught, np.errstate(**errors):
        warnings.simplefilter('always')
        try:
            result = differentiate(*args)
        except Exception as e:
            result = [type(e), str(e)]
    return result, sorted([(w.category.__name__, str(w.message)) for w in caught])


@contextlib.contextmanager
def called_methods(cls):
    """Collect which methods of a class of functions run as Python code."""
    codes = {getattr(cls, name).__code__: name for name in ('forward', 'backward')}
    called = set()

    def profile(frame, event, arg):
        if event == 'call' and frame.f_code in codes:
            called.add(codes[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield called
    finally:
        sys.setprofile(before)
