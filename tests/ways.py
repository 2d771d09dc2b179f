"""The ways to a result, and whether two of them have led to the same.

A call of a function is made by its compiled shortcut, by its own methods (the general
way), by the plan of a static chain, or on arrays of ChainerX. A test that takes the
fixture ``way`` runs for each: ``way(compute, arrays)`` returns the outputs of
``compute(*variables)``, and the gradients of the arrays.
"""
import contextlib
import sys
import warnings

import numpy as np

import chainer_fast
from chainer_fast import chainerx
from chainer_fast._help import mistakes
from chainer_fast.variable import Variable
from tests.devices import to_cpu


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


def take_step(compute, arrays):
    """Return outputs and gradients as arrays of NumPy."""
    np.random.seed(0)
    xs = [Variable(x, requires_grad=x.dtype.kind == 'f') for x in arrays]
    outputs = compute(*xs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    random = np.random.RandomState(5)
    for y in outputs:
        if y.dtype.kind == 'f':
            y.grad = y.device.send(random.normal(size=y.shape).astype(y.dtype))
    chainer_fast.backward([y for y in outputs if y.dtype.kind == 'f'])
    found = [y.array for y in outputs] + [x.grad for x in xs if x.requires_grad]
    return [None if each is None else to_cpu(each) for each in found]


def by_methods(compute, arrays):
    with General():
        return take_step(compute, arrays)


class StaticChain(chainer_fast.Chain):
    """Any computation as a static chain."""

    def __init__(self, compute):
        super().__init__()
        self._compute = compute

    @chainer_fast.static_graph
    def forward(self, *xs):
        return self._compute(*xs)

    @property
    def refused(self):
        """Why there is no plan; empty if there is one."""
        return list(self.schedule_manager.calls.refused.values())


def by_plan(compute, arrays):
    chain = StaticChain(compute)
    for _ in range(2):      # the calls that a plan is made of
        take_step(chain, [x.copy() for x in arrays])
    return take_step(chain, arrays)


def on_chainerx(compute, arrays):
    return take_step(compute, [chainerx.array(x) for x in arrays])


WAYS = {'shortcut': take_step, 'methods': by_methods, 'plan': by_plan,
        'chainerx': on_chainerx}
