"""Pickles of links that refer to functions which legacy mode has replaced."""
import sys
import types

from chainer_fast.link import Link


def _in_force(value):
    """Return the replacement of a function, if it wraps the function.

    Pickles refer to functions by their names. The defaults of links are the original
    functions.
    """
    if not isinstance(value, types.FunctionType):
        return value
    found = getattr(sys.modules.get(value.__module__), value.__qualname__, value)
    inner = found
    while inner is not value:
        inner = getattr(inner, '__wrapped__', None)
        if inner is None:
            return value
    return found


def install(patches):
    """Pickle such functions by their names nevertheless."""
    reduce = Link.__reduce__

    def reduce_with_functions(self):
        make, arguments, state = reduce(self)
        if isinstance(state, dict):
            state = {name: _in_force(value) for name, value in state.items()}
        return make, arguments, state
    patches.set(Link, '__reduce__', reduce_with_functions)
