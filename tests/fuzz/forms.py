"""Arguments of compiled kernels, changed between a program and the kernel."""
import contextlib

import numpy as np

from chainer_fast.backends.kernels import packing
from tests import programs
from tests.fuzz import changes, graphs

#: How many results of a kernel count; the rest is for the gradient alone.
RESULTS = {'linalg.determinant': 1, 'recurrent.layer': 2, 'recurrent.scan': 2}


def _copy(value):
    """Return a copy of an argument; objects of the kernels' own stay what they are."""
    if isinstance(value, np.ndarray):
        return value.copy(order='K') if value.base is None else value
    if type(value) in (list, tuple):
        return type(value)([_copy(each) for each in value])
    return value


@contextlib.contextmanager
def _recorded(found, limit):
    """Note the arguments of compiled kernels; at most so many calls of each."""
    forms = {name: each.compiled for name, each in graphs.KERNELS.items()}

    def noting(name, form):
        def run(*args):
            if len(found.setdefault(name, [])) < limit:
                found[name].append(_copy(args))
            return form(*args)
        return run

    for name, form in forms.items():
        graphs.KERNELS[name].compiled = noting(name, form)
    try:
        yield
    finally:
        for name, form in forms.items():
            graphs.KERNELS[name].compiled = form


def record(limit=12):
    """Return arguments of all kernels with a compiled form, as programs give them."""
    found = {}
    with _recorded(found, limit):
        for i, name in enumerate(programs.MAKERS):
            for seed in range(4):
                graphs.call(16 * i + seed, [name], changing=False)
                with graphs.General():
                    graphs.call(16 * i + seed, [name], changing=False)
        _pack()
    return found


def _pack():
    arrays = [np.ones((2, 3), 'f'), np.ones(4, 'd'), np.ones((), 'e')]
    buffer = np.empty(11, 'f')
    packing.pack(arrays, buffer)
    packing.unpack(buffer, arrays, .5)


def _places(value, path=()):
    """Return the paths to all arrays and integers in arguments."""
    if type(value) in (list, tuple):
        return [p for i, each in enumerate(value) for p in _places(each, (*path, i))]
    if isinstance(value, np.ndarray) or type(value) in (int, float) or value is None:
        return [path]
    return []


def _at(value, path):
    for i in path:
        value = value[i]
    return value


def _with(value, path, new):
    if not path:
        return new
    items = list(value)
    items[path[0]] = _with(items[path[0]], path[1:], new)
    return type(value)(items)


def change(args, random):
    """Return arguments with one or two of them changed, and what they are."""
    args, notes = _copy(args), []
    places = _places(args)
    for _ in range(random.randint(1, 3)):
        path = places[random.randint(len(places))]
        value = _at(args, path)
        if isinstance(value, np.ndarray):
            before = value
            if random.randint(4) == 0:
                value = value.copy()
                changes.spoil(value, random)
                kept = ''
            else:
                value = changes.other(value.shape, value.dtype, random)
                kept = 'alike' if value is not None and (
                    value.shape == before.shape
                    and value.dtype.kind == before.dtype.kind) else ''
        elif type(value) is float:
            value = [0., -1., np.nan, np.inf, 1e300, .5][random.randint(6)]
        else:
            value = [-1, 0, 1, 2, 7, 40, None, value][random.randint(8)]
        if isinstance(value, np.ndarray):
            notes.append((path, value.shape, value.dtype.str, value.strides, kept))
        else:
            notes.append((path, value))
        args = _with(args, path, value)
    return args, notes


def _same_sizes(notes):
    """Tell whether arrays have got other strides or another precision alone.

    A form may take an array of the right number of elements where the reference wants
    a shape, or numbers of another kind; and both lose digits to values of different
    size.
    """
    return all([note[-1] == 'alike' for note in notes])


def run(form, args):
    """Return what a form gives, and what it raises."""
    with np.errstate(all='ignore'):
        try:
            return form(*args), None
        except Exception as error:
            return None, error


_recorded_arguments: dict[str, list] = {}


def compare(seed):
    """Call a compiled kernel with changed arguments; return what is wrong, or None."""
    if not _recorded_arguments:
        _recorded_arguments.update(record())
    random = np.random.RandomState(seed)
    names = sorted(_recorded_arguments)
    name = names[seed % len(names)]
    calls = _recorded_arguments[name]
    args = calls[random.randint(len(calls))]
    args, notes = change(args, random)
    where = 'seed %d: %s with %s' % (seed, name, notes)
    np.random.seed(seed)
    got, error = run(graphs.KERNELS[name].compiled, _copy(args))
    if isinstance(error, SystemError):
        return '%s: %r' % (where, error)
    if error is not None or got is NotImplemented:
        return None
    np.random.seed(seed)
    expected, error = run(graphs.KERNELS[name].reference, _copy(args))
    if error is not None or not _same_sizes(notes):
        return None
    a, b = graphs.arrays_in(got), graphs.arrays_in(expected)
    a, b = a[:RESULTS.get(name)], b[:RESULTS.get(name)]
    if len(a) != len(b) or any(map(graphs._differ, a, b)):
        return '%s: %s, the reference %s' % (where, a, b)
    return None
