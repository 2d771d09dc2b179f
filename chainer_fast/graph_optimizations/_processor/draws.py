"""The state of NumPy's random numbers, which a call may have to find again.

The whole of it takes many microseconds to copy, since NumPy makes an array of the
generator's words one by one. Functions that draw nothing but uniform numbers need no
more than these words, which compiled code copies. Other functions are refused: the
copy would take longer than a plan gains.
"""
import numpy

from chainer_fast.backends.kernels.noise import compiled
from chainer_fast.graph_optimizations._side_effects import Unrecordable


def getter(classes):
    """Return what gets the state for functions of some classes, None without any.

    Raises
    ------
    Unrecordable
        If one of them may draw other numbers than uniform ones.
    """
    for cls in classes:
        if not vars(cls).get('_draws_uniform', False):
            raise Unrecordable('%s draws random numbers' % cls.__name__)
    return _uniform_state if classes else None


def _uniform_state():
    state = compiled.uniform_state()
    return numpy.random.get_state() if state is None else state


def set_state(state):
    """Set a state that a getter has returned."""
    if isinstance(state, bytes):
        compiled.set_uniform_state(state)
    else:
        numpy.random.set_state(state)
