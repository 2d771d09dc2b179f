"""Gradients of weights that several functions use: products of the rows of many."""
import collections

import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.graph_optimizations._processor import plans

# Values with rows of the factors, in panels; the value that their product is added to;
# the shape of the product; the rows that there are, and those that there is room for.
_Stack = collections.namedtuple(
    '_Stack', ['left', 'right', 'total', 'shape', 'rows', 'room'])


class Stacks:
    """Rows of products that are still to be added to gradients.

    Parameters
    ----------
    planner : Planner
    """

    def __init__(self, planner):
        self._planner = planner
        self._stacks = {}

    def push(self, weight, left, right, total):
        """Append the copying of rows, if they are few.

        Parameters
        ----------
        weight : int
            Value whose gradient it is.
        left, right : int
            Values; the transpose of the first is multiplied by the second.
        total : int
            The gradient so far, which the product is to be added to.

        Returns
        -------
        bool
            False if nothing was done.
        """
        templates = self._planner.values.templates
        (rows, m), n = templates[left].shape, templates[right].shape[1]
        room = graph.rows_together(m, n, templates[left].itemsize)
        if 2 * rows > room:
            return False
        stack = self._stacks.get(weight)
        if stack is None:
            stack = _Stack(self._panels(room, m), self._panels(room, n), total, (m, n),
                           0, room)
        elif stack.rows + rows > room:
            self.settle(weight)
            stack = stack._replace(rows=0)
        self._planner.step_into(
            plans.PackRows(stack.rows, rows, room, (left, right), (m, n), stack[:2]),
            (left, right), stack[:2])
        self._stacks[weight] = stack._replace(rows=stack.rows + rows)
        return True

    def settle(self, weight):
        """Append the product that a gradient lacks, if it does."""
        stack = self._stacks.pop(weight, None)
        if stack is None:
            return
        m, n = stack.shape
        self._planner.step_into(
            plans.ProductOfRows(
                (m, stack.rows, n), stack.room, stack.left, stack.right, stack.total),
            stack[:3], (stack.total,))

    def _panels(self, room, columns):
        return self._planner.values.add(
            (plans.size_of_rows(room, columns),), numpy.float32)
