"""Sums in the loops that compute one of their terms."""
import collections

from chainer_fast.backends.kernels.arithmetic import elements

ADD = elements.loops['Add::of']


def with_sums(segments, kept):
    """Return segments in which loops add to their results.

    A loop whose result is only a term of a sum computes the sum instead of the loop
    that adds, so that the term is not stored.

    Parameters
    ----------
    segments : list of list of Operation
        Loops over arrays of one size and type, or another operation.
    kept : set of int
        Values that something else reads.

    Returns
    -------
    list of list of Operation
        If loops have one more input than their arrays, they add it to their result.
    """
    uses = collections.Counter([
        value for operations in segments for it in operations for value in it.inputs])
    return [_with_sums(operations, uses, kept) if operations[0].loop else operations
            for operations in segments]


def _with_sums(operations, uses, kept):
    found = []
    terms = {}      # positions of the loops that compute them
    for it in operations:
        own = [value for value in it.inputs if value in terms]
        if it.loop is ADD and len(it.inputs) == ADD.arrays and own:
            term = max(own, key=terms.__getitem__)
            other, = [value for value in it.inputs if value != term]
            position = terms.pop(term)
            made = found[position]
            found[position] = None
            it = made._replace(inputs=(*made.inputs, other), outputs=it.outputs)
        elif it.loop.outputs == 1 and it.loop.arrays < 3 and not kept.intersection(
                it.outputs) and uses[it.outputs[0]] == 1:
            terms[it.outputs[0]] = len(found)
        found.append(it)
    return [it for it in found if it is not None]
