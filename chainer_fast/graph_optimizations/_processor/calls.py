"""Calls of static chains that plans make, and those that they do not."""
from chainer_fast.backends.kernels.plan.steps import NotStatic
from chainer_fast.graph_optimizations._cache import MISS, Cache
from chainer_fast.graph_optimizations._processor.graph import Graph
from chainer_fast.graph_optimizations._processor.planned_call import PlannedCall
from chainer_fast.graph_optimizations._side_effects import Unrecordable


class PlannedCalls(Cache):
    """The plans of a chain, by the kinds of its calls."""

    def __init__(self, verbosity_level=0):
        super().__init__(verbosity_level)
        self._graphs = {}

    def forget(self, kind):
        super().forget(kind)
        self._graphs.pop(kind, None)

    def wants(self, kind):
        """Return whether the next call of a kind is to be traced."""
        return kind not in self.refused and kind not in self._kept

    def note(self, call, trace, returned):
        """Take a traced call, the second one of which is planned.

        Parameters
        ----------
        call : Call
        trace : Trace
        returned : object
        """
        kind = call.kind
        params = [p for p in call.chain.params() if p.raw_array is not None]
        try:
            graph = Graph(trace, call.inputs, params, returned)
        except Unrecordable as e:
            # A first call may initialize parameters.
            if kind in self._graphs:
                self.refuse(kind, str(e))
            else:
                self._graphs[kind] = None
            return
        first = self._graphs.get(kind)
        self._graphs[kind] = graph
        if first is None:
            return
        difference = first.difference(graph)
        if difference is not None:
            self.refuse(kind, difference)
            return
        del self._graphs[kind]
        try:
            self._kept[kind] = PlannedCall(graph, call, params)
        except Exception as e:
            self.refuse(kind, str(e) or type(e).__name__)

    def apply(self, call, schedule):
        """Make a call by its plan, if there is one.

        Parameters
        ----------
        call : Call
        schedule : StaticScheduleFunction
            The schedule of the chain for these inputs.

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        planned = self.find(call.kind)
        if planned is None:
            return MISS
        if planned.refused is not None:
            self.refuse(call.kind, planned.refused)
            return MISS
        self.remember(call.func, planned, schedule)
        try:
            return planned.repeat(call.args, call.kwargs)
        except NotStatic as e:
            self.refuse(call.kind, str(e))
            return MISS
