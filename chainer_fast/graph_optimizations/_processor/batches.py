"""Products with the same weight, which one step makes for all functions of a sequence.

A cell multiplies few rows by its weights. What does not depend on the last state, such
as the part of the input, and the layer behind the cells, can be computed for all steps
of the sequence at once. Rows do not depend on each other: the bits are the same.
"""
import collections
import heapq

from chainer_fast.backends.kernels.plan import layers

# Products of more rows gain nothing.
MOST_ROWS = 64
# So many elements, read and written by one step, are still in a cache when others use
# them.
MOST_ELEMENTS = 1 << 20


def batched(operations):
    """Return operations in an order in which products with the same operand are one.

    Parameters
    ----------
    operations : list of Operation

    Returns
    -------
    list of Operation
        Where an operation reads, or writes to, a value that another writes to, and
        where both are ordered, they are in the order of before. Products that need the
        results of each other stay apart.
    """
    before = None
    clusters = {}
    order = list(range(len(operations)))
    for group in _groups(operations):
        if before is None:
            before = _dependencies(operations)
        attempt = clusters | dict.fromkeys(group, group[0])
        found = _sorted(before, attempt)
        if found is not None:
            clusters, order = attempt, found
    members = collections.defaultdict(list)
    for i, first in clusters.items():
        members[first].append(operations[i])
    return [_merged(members[i]) if i in members else operations[i] for i in order]


def _groups(operations):
    """Return the numbers of products with the same right operand, two or more."""
    found = collections.defaultdict(list)
    for i, operation in enumerate(operations):
        if operation.product is not None and operation.product.shape[0] <= MOST_ROWS:
            found[operation.product].append(i)
    groups = []
    for product, them in found.items():
        rows, terms, columns = product.shape
        most = max(MOST_ELEMENTS // (rows * (terms + columns)), 1)
        groups += [them[i:i + most] for i in range(0, len(them), most)]
    return [group for group in groups if len(group) > 1]


def _dependencies(operations):
    """Return for each operation those that have to come before it."""
    found = []
    writer = {}
    readers = collections.defaultdict(list)
    ordered = None
    for i, operation in enumerate(operations):
        earlier = {writer[value] for value in operation.inputs + operation.outputs
                   if value in writer}
        for value in operation.outputs:
            earlier.update(readers.pop(value, ()))
        if operation.is_ordered:
            if ordered is not None:
                earlier.add(ordered)
            ordered = i
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
    step = layers.Products(product.shape, lefts, product.right, outs, product.start)
    return operations[0]._replace(
        inputs=(*lefts, *operations[0].inputs[1:]), outputs=outs, step=step)
