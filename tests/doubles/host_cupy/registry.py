"""The functions that the stand-in has, by the module where CuPy has them."""
import collections

from tests.doubles.host_cupy.array import routines

exports = collections.defaultdict(dict)


def routine(f=None, *, module='cupy', names=()):
    """Register a function under its name, or under others."""
    def register(f):
        for name in names or [f.__name__]:
            exports[module][name] = f
            if module == 'cupy':
                routines[name] = f
        return f
    return register if f is None else register(f)


def method(f):
    """Register what a method of arrays does, under its name."""
    routines['ndarray.' + f.__name__.rstrip('_')] = f
    return f
