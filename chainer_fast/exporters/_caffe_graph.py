"""The functions of a graph in the order in which Chainer writes them."""
import collections
import heapq
import itertools

from chainer_fast import function_hook


class InputRecorder(function_hook.FunctionHook):
    """Keeps the input arrays of functions.

    Functions do not keep inputs that their gradients do not need, such as a bias.

    Attributes
    ----------
    arrays : dict
        Tuples of arrays, by function.
    """

    name = '_CaffeInputRecorder'

    def __init__(self):
        self.arrays = {}

    def forward_postprocess(self, function, in_data):
        self.arrays[function] = in_data


def sources(function, data):
    """Return the functions that computed the inputs of a function.

    Parameters
    ----------
    function : FunctionNode
        The function.
    data : VariableNode
        Input of the network, where the traversal ends.
    """
    return [v.creator_node for v in function.inputs
            if v is not data and v.creator_node is not None]


def _count_uses(outputs, data):
    """Count the inputs computed by each function."""
    uses = collections.Counter()
    waiting, seen = list(outputs), set(outputs)
    while waiting:
        for source in sources(waiting.pop(), data):
            uses[source] += 1
            if source not in seen:
                seen.add(source)
                waiting.append(source)
    return uses


def sort(outputs, data):
    """Return functions such that each comes after those that it depends on.

    The graph is traversed backward from the outputs: the highest rank comes first, and
    among equal ranks the function found last. But if a function has only one source and
    is its only user, the traversal continues there, so that chains remain contiguous.

    Parameters
    ----------
    outputs : iterable of chainer_fast.Variable
        Outputs of the network.
    data : VariableNode
        Its input.

    Returns
    -------
    list of FunctionNode
        The functions in between.
    """
    ends = [y.creator_node for y in outputs
            if y.node is not data and y.creator_node is not None]
    uses = _count_uses(ends, data)
    heap, seen, found = [], set(), []
    order = itertools.count()

    def add(function):
        if function not in seen:
            seen.add(function)
            heapq.heappush(heap, (-function.rank, -next(order), function))

    for function in ends:
        add(function)
    while heap:
        function = heapq.heappop(heap)[2]
        found.append(function)
        before = sources(function, data)
        while len(before) == 1 and uses[before[0]] == 1 and before[0] not in seen:
            function, = before
            seen.add(function)
            found.append(function)
            before = sources(function, data)
        for source in before:
            add(source)
    return found[::-1]
