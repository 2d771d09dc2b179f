"""Products with the same weight, which one step makes for all functions of a sequence.

A cell multiplies few rows by its weights. What does not depend on the last state, such
as the part of the input, and the layer behind the cells, can be computed for all steps
of the sequence at once. Rows do not depend on each other: the bits are the same.
"""
import collections
import heapq

from chainer_fast.graph_optimizations._processor import plans

# Products of more rows gain nothing.
MOST_ROWS = 64
# So many elements, read and written by one step, are still in a cache when others use
# them.
MOST_ELEMENTS = 1 << 20
# So many groups are tried one by one if they cannot be made all.
MOST_TRIALS = 32


def batched(operations):
    """Return operations in an order in which products with the same operand are one.

    Parameters
    ----------
    operations : list of Operation

    Returns
    -------
    list of Operation
        Where an operation reads, or writes to, a value that another writes to, and
        where both draw random numbers, they are in the order of before. Products that
        need the results of each other stay apart.
    """
    candidates = collections.defaultdict(list)
    for i, operation in enumerate(operations):
        if operation.product is not None and operation.product.shape[0] <= MOST_ROWS:
            candidates[operation.product].append(i)
    if all([len(them) == 1 for them in candidates.values()]):
        return operations
    before = _dependencies(operations)
    groups = [group for product, them in candidates.items()
              if len(them) > 1 and _are_independent(before, them)
              for group in _parts(product, them)]
    clusters, order = _clustered(before, groups)
    members = collections.defaultdict(list)
    for i, first in clusters.items():
        members[first].append(operations[i])
    return [_merged(members[i]) if i in members else operations[i] for i in order]


def _parts(product, numbers):
    """Return parts of some products whose elements are not too many for one step."""
    rows, terms, columns = product.shape
    most = max(MOST_ELEMENTS // (rows * (terms + columns)), 1)
    parts = [numbers[i:i + most] for i in range(0, len(numbers), most)]
    return [part for part in parts if len(part) > 1]


def _are_independent(before, numbers):
    """Return whether none of some operations needs the result of another."""
    members = set(numbers)
    reached = set(numbers)
    for i in range(numbers[0] + 1, numbers[-1] + 1):
        if not reached.isdisjoint(before[i]):
            if i in members:
                return False
            reached.add(i)
    return True


def _clustered(before, groups):
    """Return clusters, as `_sorted` takes them, and what it returns for them."""
    clusters = {i: group[0] for group in groups for i in group}
    order = _sorted(before, clusters)
    if order is not None:
        return clusters, order
    # Groups may need each other.
    clusters, order = {}, list(range(len(before)))
    for group in groups[:MOST_TRIALS]:
        attempt = clusters | dict.fromkeys(group, group[0])
        found = _sorted(before, attempt)
        if found is not None:
            clusters, order = attempt, found
    return clusters, order


def _dependencies(operations):
    """Return for each operation those that have to come before it."""
    found = []
    writer = {}
    readers = collections.defaultdict(list)
    drawing = None
    for i, operation in enumerate(operations):
        earlier = {writer[value] for value in operation.inputs + operation.outputs
                   if value in writer}
        for value in operation.outputs:
            earlier.update(readers.pop(value, ()))
        if operation.draws:
            if drawing is not None:
                earlier.add(drawing)
            drawing = i
        writer.update(dict.fromkeys(operation.outputs, i))
        for value in operation.inputs:
            readers[value].append(i)
        earlier.discard(i)
        found.append(earlier)
    return found


def _sorted(before, clusters):
    """Return the first members of clusters, in an order close to that of before.

    Parameters
    ----------
    before : list of set of int
        What has to come before each operation.
    clusters : dict
        First members of the clusters of those that are in one.

    Returns
    -------
    list of int or None
        None if there is no such order.
    """
    waits = collections.Counter()
    followers = collections.defaultdict(list)
    count = 0
    for i, earlier in enumerate(before):
        cluster = clusters.get(i, i)
        count += cluster == i
        for other in earlier:
            waits[cluster] += 1
            followers[clusters.get(other, other)].append(cluster)
    ready = [i for i in range(len(before))
             if clusters.get(i, i) == i and not waits[i]]
    found = []
    while ready:
        found.append(heapq.heappop(ready))
        for cluster in followers[found[-1]]:
            waits[cluster] -= 1
            if not waits[cluster]:
                heapq.heappush(ready, cluster)
    return found if len(found) == count else None


def _merged(operations):
    """Return one operation for products with the same right operand."""
    product = operations[0].product
    outs = tuple([it.outputs[0] for it in operations])
    lefts = [it.inputs[0] for it in operations]
    step = plans.Products(product.shape, lefts, product.right, outs, product.start)
    return operations[0]._replace(
        inputs=(*lefts, *operations[0].inputs[1:]), outputs=outs, step=step)
