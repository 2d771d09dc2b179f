"""Traces of calls of static chains: the functions applied, with their arrays."""
import numpy

from chainer_fast.graph_optimizations._side_effects import ChainState, same_array


def _random_state():
    """Return what tells whether numbers are drawn from NumPy's random state."""
    found = numpy.random.get_state(legacy=False)
    state = found['state']
    return state['key'].tobytes(), state['pos'], found['has_gauss'], found['gauss']


class Trace:
    """The functions that are applied in a call, and what it changes.

    Parameters
    ----------
    chain : Chain
    watches_reads : bool
        Whether the call is refused if its code reads arrays of variables.

    Attributes
    ----------
    functions : list of tuple
        Each as it was before and as it is after it was applied, its inputs and outputs.
    reason : str or None
        Why the call cannot be repeated.
    reads : list of tuple
        Variables, or nodes, whose arrays the code has read, the arrays, and why no plan
        can make the call if they are not handed on as they are; None and None for
        what is used in other ways in any case.
    drawing : set of type
        Classes of functions that draw random numbers.
    updated : list of array
        Arrays that functions change in place: running statistics, for example.
    state : ChainState
        The links before the call.
    changes : dict
        See :meth:`ChainState.changes`.
    """

    def __init__(self, chain, watches_reads=True):
        self.watches_reads = watches_reads
        self.functions = []
        self.reason = None
        self.reads = []
        self.drawing = set()
        self.updated = []
        self.state = ChainState(chain)
        self.changes = {}
        self._random_state = _random_state()
        self._watched = {id(pair[0]): pair for pair in self.state.host}

    def refuse(self, reason):
        """Note why the call cannot be repeated; the first reason counts."""
        self.reason = self.reason or reason

    def begin(self, function=None):
        """Tell that a function is about to be computed, or that the call is over."""
        if _random_state() != self._random_state:
            self.refuse('random numbers are drawn outside of functions')
        if function is None:
            return
        for value in vars(function).values():
            if isinstance(value, numpy.ndarray):
                array, copy = self._watched.setdefault(
                    id(value), [value, value.copy()])
                if not same_array(array, copy):
                    self.refuse('an array of %s changes' % function.label)

    def end(self, pristine, applied, inputs, outputs):
        """Note a function, and the same as it was before."""
        self.functions.append((pristine, applied, inputs, outputs))
        now = _random_state()
        if now != self._random_state:
            self.drawing.add(type(pristine))
        self._random_state = now
        for value in vars(pristine).values():
            if not isinstance(value, numpy.ndarray):
                continue
            array, copy = self._watched[id(value)]
            if not same_array(array, copy):
                copy[...] = array
                if not any([each is array for each in self.updated]):
                    self.updated.append(array)
