"""Calls during which code of the user's runs, and resizes the arrays that are in use.

Numbers are objects whose conversions and comparisons resize arrays; so do what shows
warnings, what NumPy calls for floating-point errors, keys beside the attributes of a
function, and finalizers. Whatever a call returns or raises will do, as long as the
process lives.
"""
import contextlib
import inspect
import warnings

import numpy as np

import chainer_fast as chainer
from chainer_fast import functions as F
from tests.functions.odd_arguments import calls
from tests.fuzz import changes


class Trap:
    """Resizes arrays when it is sprung, a few times at most."""

    def __init__(self, random):
        self.arrays = []
        self.random = random
        self.left = 0

    def set(self, times):
        self.left = times

    def __call__(self, *args, **kwargs):
        if self.left <= 0:
            return
        self.left -= 1
        for array in self.arrays:
            with contextlib.suppress(Exception):
                if self.random.randint(2):
                    array.resize((0,) * array.ndim or (), refcheck=False)
                else:
                    changes.resize(array, self.arrays, self.random)


def _number(value, trap):
    """Return an object that is a number, and springs the trap when it is used."""
    class Number:
        def __getattr__(self, name):
            trap()
            raise AttributeError(name)

    def of(name):
        def method(self, *args):
            trap()
            return getattr(value, name)(*args)
        return method

    for name in ('__index__', '__int__', '__float__', '__bool__', '__eq__', '__ne__',
                 '__lt__', '__le__', '__gt__', '__ge__', '__add__', '__radd__',
                 '__sub__', '__rsub__', '__mul__', '__rmul__', '__floordiv__',
                 '__truediv__', '__mod__', '__neg__', '__abs__', '__hash__'):
        if hasattr(value, name):
            setattr(Number, name, of(name))

    def as_array(self, dtype=None, copy=None):
        trap()
        return np.asarray(value, dtype)

    Number.__array__ = as_array
    return Number()


class _Key:
    """A key of the attributes of a function that compares itself with a name."""

    def __init__(self, name, trap):
        self.name, self.trap = name, trap

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        self.trap()
        return False


class _Going:
    """Springs the trap when it goes."""

    def __init__(self, trap):
        self.trap = trap

    def __del__(self):
        self.trap()


def _copies(value, trap, random, spoils):
    if isinstance(value, list):
        return [_copies(each, trap, random, spoils) for each in value]
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    value = value.copy()
    if spoils:
        changes.spoil(value, random)
    trap.arrays.append(value)
    return chainer.Variable(value) if value.dtype.kind == 'f' else value


def _lay_traps(function, trap):
    own = vars(function)
    for name in [*own]:
        if isinstance(name, str):
            own[_Key(name, trap)] = _Going(trap)
    for name in ('axis', 'ignore_label', 'eps', '_kept', 'lease'):
        own[_Key(name, trap)] = None


def _call(random, trap):
    name = sorted(calls.FUNCTIONS)[random.randint(len(calls.FUNCTIONS))]
    function, spoils = getattr(F, name), random.randint(2)
    args = calls.FUNCTIONS[name]
    names = list(inspect.signature(function).parameters)
    named = {n: _copies(a, trap, random, spoils)
             for n, a in zip(names, args, strict=False)}
    numbers = dict(calls._parameters(function, args))
    if numbers and random.randint(3):
        chosen = sorted(numbers)[random.randint(len(numbers))]
        parameters = inspect.signature(function).parameters
        value = named.get(chosen, parameters[chosen].default)
        if value is not None:
            named[chosen] = _number(value, trap)
    if name in ('add', 'get_item'):
        return function(*named.values())
    return function(**named)


def _viewed(y, arrays):
    """Return those of some arrays that arrays of a graph are views of.

    NumPy itself reads memory that was freed when these have got another size.
    """
    roots, functions, seen = [], [y.creator_node], set()
    while functions:
        function = functions.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        held = [node.data for node in function.inputs] + [*vars(function).values()]
        for array in held:
            while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
                array = array.base
                roots.append(array)
        functions += [node.creator_node for node in function.inputs]
    return [array for array in arrays if any(array is root for root in roots)]


def compare(seed):
    """Make a call and its gradients; nothing is compared, as anything may come out."""
    random = np.random.RandomState(seed)
    trap = Trap(random)

    def errors(kind, flag):
        trap()

    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter('always')
        warnings.showwarning = trap
        stack.enter_context(np.errstate(
            all=['warn', 'call'][random.randint(2)], call=errors))
        stack.callback(trap.set, 0)
        times = random.randint(4)
        trap.set(times)
        try:
            ys = _call(random, trap)
            y = ys[0] if isinstance(ys, (tuple, list)) else ys
        except Exception:
            return
        if not isinstance(y, chainer.Variable):
            return
        viewed = _viewed(y, trap.arrays)
        if viewed and trap.left < times:
            return
        trap.arrays = [array for array in trap.arrays
                       if not any(array is other for other in viewed)]
        with contextlib.suppress(Exception):
            if y.creator_node is not None and random.randint(2):
                _lay_traps(y.creator_node, trap)
            y.grad = np.ones_like(y.array)
            trap.arrays.append(y.grad)
            trap.set(random.randint(1, 4))
            y.backward(enable_double_backprop=bool(random.randint(2)))
