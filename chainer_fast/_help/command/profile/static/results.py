"""Comparison of planned calls with the code.

A method that was not written for ``static_graph`` may compute with plain arrays that
are its arguments. A plan would use the numbers of the recorded calls, so that some
planned calls are compared with the code before a method is recommended.
"""
import numpy

from chainer_fast.graph_optimizations._nested import flatten
from chainer_fast.graph_optimizations._side_effects import ChainState

# Plans round products in float32 differently.
_TOLERANCES = {2: 1e-2, 4: 1e-3}


def call_checked(method, chain, args, kwargs):
    """Make a static call, and repeat it by the code if it was planned.

    Returns
    -------
    object
        The result, that of the code if it ran.
    str
        The way of the static call.
    bool or None
        Whether both results are the same; None if the call was not planned.
    """
    state, drawn = ChainState(chain), numpy.random.get_state()
    returned, way = method.call_static(chain, args, kwargs)
    if way != 'planned':
        return returned, way, None
    state.restore()
    numpy.random.set_state(drawn)
    expected = method.plain(chain, *args, **kwargs)
    return expected, way, are_same(returned, expected)


def are_same(found, expected):
    """Return whether two results of a chain are equal up to rounding."""
    found, expected = flatten(found), flatten(expected)
    return len(found) == len(expected) and all(
        map(_are_same_arrays, found, expected))


def _are_same_arrays(found, expected):
    found, expected = [getattr(x, 'raw_array', x) for x in (found, expected)]
    if not isinstance(expected, numpy.ndarray) or not expected.size:
        return True     # a constant, which plans compare, or an object
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if expected.dtype.kind not in 'fc':
        return numpy.array_equal(found, expected)
    tolerance = _TOLERANCES.get(expected.real.itemsize, 1e-9)
    finite = numpy.abs(expected[numpy.isfinite(expected)])
    return numpy.allclose(
        found, expected, rtol=tolerance, equal_nan=True,
        atol=tolerance * float(finite.max(initial=0)))
