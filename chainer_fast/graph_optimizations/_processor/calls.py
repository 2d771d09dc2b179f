"""Calls of static chains with plans, and refused calls."""
from chainer_fast.graph_optimizations._cache import LIMIT, Cache
from chainer_fast.graph_optimizations._processor.graph import Graph
from chainer_fast.graph_optimizations._processor.planned_call import PlannedCall
from chainer_fast.graph_optimizations._replay import MISS, NotStatic
from chainer_fast.graph_optimizations._side_effects import Unrecordable

# Maximum number of link states for which calls of one kind have plans.
STATES = 4


class PlannedCalls(Cache):
    """The plans of a chain, by the kind of call.

    Calls of a kind with different states of their links may have separate plans.
    """

    def __init__(self, latest, verbosity_level=0, limit=LIMIT):
        super().__init__(latest, verbosity_level, limit)
        self._graphs = {}
        self._slots = set()

    def forget(self, kind):
        super().forget(kind)
        self._graphs.pop(kind, None)

    def find(self, kind):
        """Return the plan for calls of a kind with the current links, or None."""
        for planned in self._kept.get(kind, ()):
            if not self.is_kept(kind, planned):
                return None
            if planned.slots.fit_now():
                return planned
        return None

    def wants(self, kind):
        """Return whether to trace the next call of a kind."""
        return kind not in self.refused and self.find(kind) is None and (
            self.is_worth_it(kind))

    def note(self, call, trace, returned):
        """Process a traced call, which gets a plan if it matches an earlier one.

        Parameters
        ----------
        call : Call
        trace : Trace
        returned : object
        """
        kind = call.kind
        params = [p for p in call.chain.params() if p.raw_array is not None]
        try:
            graph = Graph(trace, call.inputs, params, returned, self._slots)
        except Unrecordable as e:
            # A first call may initialize parameters.
            if kind in self._graphs:
                self.refuse(kind, str(e))
            else:
                self._graphs[kind] = []
            return
        self._slots.update(graph.before)
        earlier = self._graphs.setdefault(kind, [])
        for other in earlier:
            difference = other.difference(graph)
            difference = difference or graph.computes
            if difference is None:
                earlier.remove(other)
                self._plan(graph, call, params, {
                    slot for slot, found in graph.before.items()
                    if found != other.before[slot]})
                return
            if graph.before == other.before:
                self.refuse(kind, difference)
                return
        earlier.append(graph)
        if len(earlier) > STATES:
            self.refuse(kind, 'links are in another state in each call')

    def _plan(self, graph, call, params, free):
        try:
            planned = PlannedCall(graph, call, params, free)
        except Exception as e:
            self.refuse(call.kind, str(e) or type(e).__name__)
        else:
            self._kept.setdefault(call.kind, []).append(planned)

    def apply(self, call, schedule):
        """Make a call with its plan, if any.

        Parameters
        ----------
        call : Call
        schedule : StaticScheduleFunction
            The schedule of the chain for these inputs.

        Returns
        -------
        object
            The result of the call, or ``MISS``.
        """
        self.touch(call.kind)
        planned = self.find(call.kind)
        if planned is None:
            if call.kind in self.refused:
                self.remember_refused(call, schedule)
            return MISS
        if planned.refused is not None:
            self.refuse(call.kind, planned.refused)
            return MISS
        self.latest.note(call.func, planned, schedule)
        try:
            return planned.repeat(call.args, call.kwargs)
        except NotStatic as e:
            self.refuse(call.kind, str(e))
            return MISS
