"""Traces of calls of static chains: the functions applied, with their arrays."""
import numpy


def _random_state():
    """Return what tells whether numbers are drawn from NumPy's random state."""
    found = numpy.random.get_state(legacy=False)
    state = found['state']
    return state['key'].tobytes(), state['pos'], found['has_gauss'], found['gauss']


class Trace:
    """The functions that are applied in a call.

    Attributes
    ----------
    functions : list of tuple
        Each as it was before and as it is after it was applied, its inputs and outputs.
    reason : str or None
        Why the call cannot be repeated.
    draws : bool
        Whether functions draw random numbers.
    """

    def __init__(self):
        self.functions = []
        self.reason = None
        self.draws = False
        self._random_state = _random_state()

    def refuse(self, reason):
        """Note why the call cannot be repeated; the first reason counts."""
        self.reason = self.reason or reason

    def begin(self):
        """Tell that a function is about to be computed, or that the call is over."""
        if _random_state() != self._random_state:
            self.refuse('random numbers are drawn outside of functions')

    def end(self, pristine, applied, inputs, outputs):
        """Note a function, and the same as it was before."""
        self.functions.append((pristine, applied, inputs, outputs))
        now = _random_state()
        self.draws = self.draws or now != self._random_state
        self._random_state = now
