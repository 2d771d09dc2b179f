"""The state of NumPy's random numbers, which a call may need to restore.

Copying the complete state takes many microseconds, since NumPy converts the
generator's words to an array one by one. Functions that only draw uniform numbers
only need these words, which compiled code copies. Other functions are refused: the
copy would take longer than a plan saves.
"""
import numpy

from chainer_fast.backends.kernels.noise import compiled
from chainer_fast.graph_optimizations._side_effects import Unrecordable


def getter(classes):
    """Return the getter of the state for functions of some classes, or None.

    Raises
    ------
    Unrecordable
        If one of them may draw non-uniform numbers.
    """
    for cls in classes:
        if not vars(cls).get('_draws_uniform', False):
            raise Unrecordable('%s draws random numbers' % cls.__name__)
    return _uniform_state if classes else None


def _uniform_state():
    state = compiled.uniform_state()
    return numpy.random.get_state() if state is None else state


def set_state(state):
    """Restore a state returned by a getter."""
    if isinstance(state, bytes):
        compiled.set_uniform_state(state)
    else:
        numpy.random.set_state(state)
