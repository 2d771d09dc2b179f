"""Batching of products with the same weight for all functions of a sequence.

A cell multiplies few rows by its weights. Computations that do not depend on the last
state, such as the product of the input, and the layer after the cells, can be done for
all steps of the sequence at once. Rows do not depend on each other, so that results
are identical.
"""
import collections
import heapq

from chainer_fast.graph_optimizations._processor import plans

# Products of more rows do not benefit.
MOST_ROWS = 64
# Maximum number of elements, read and written by one step, that remain in a cache for
# other steps.
MOST_ELEMENTS = 1 << 20
# Maximum number of groups that are tried one by one if not all can be batched.
MOST_TRIALS = 32


def batched(operations):
    """Return operations reordered so that products with the same operand are merged.

    Parameters
    ----------
    operations : list of Operation

    Returns
    -------
    list of Operation
        Operations keep their order if one reads or writes a value that the other
        writes, or if both draw random numbers. Products that need each other's
        results are not merged.
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
    """Return groups of some products that are small enough for one step."""
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
    """Return clusters in the form for ``_sorted``, and its result for them."""
    clusters = {i: group[0] for group in groups for i in group}
    order = _sorted(before, clusters)
    if order is not None:
        return clusters, order
    # Groups may depend on each other.
    clusters, order = {}, list(range(len(before)))
    for group in groups[:MOST_TRIALS]:
        attempt = clusters | dict.fromkeys(group, group[0])
        found = _sorted(before, attempt)
        if found is not None:
            clusters, order = attempt, found
    return clusters, order


def _dependencies(operations):
    """Return, for each operation, those that must precede it."""
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
    """Return the first members of clusters, in an order close to the original.

    Parameters
    ----------
    before : list of set of int
        Operations that must precede each operation.
    clusters : dict
        Maps operations to the first member of their cluster, if any.

    Returns
    -------
    list of int or None
        None if no such order exists.
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
