"""Traces of calls of static chains: the functions applied, with their arrays."""
import numpy

from chainer_fast.graph_optimizations._side_effects import ChainState, same_array


def _random_state():
    """Return a value that changes when numbers are drawn from NumPy's random state."""
    found = numpy.random.get_state(legacy=False)
    state = found['state']
    return state['key'].tobytes(), state['pos'], found['has_gauss'], found['gauss']


class Trace:
    """The functions applied in a call, and the changes that it makes.

    Parameters
    ----------
    chain : Chain
    watches_reads : bool
        Whether the call is refused if its code reads arrays of variables.

    Attributes
    ----------
    functions : list of tuple
        Each function before and after it was applied, its inputs and outputs.
    reason : str or None
        Why the call cannot be repeated.
    reads : list of tuple
        Variables, or nodes, whose arrays the code has read, the arrays, and the reason
        why no plan can make the call unless they are passed on unchanged; None and None
        if they are used in other ways in any case.
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
        """Record why the call cannot be repeated; the first reason is kept."""
        self.reason = self.reason or reason

    def begin(self, function=None):
        """Record that a function is about to run, or that the call has ended."""
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
        """Record a function, and its copy from before it was applied."""
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
