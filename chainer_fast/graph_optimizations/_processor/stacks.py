"""Gradients of weights that several functions use, as products of stacked rows."""
import collections

import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.graph_optimizations._processor import plans

# Values with rows of the factors, in panels; the value to which their product is added;
# the shape of the product; the number of rows, and that of the buffer.
_Stack = collections.namedtuple(
    '_Stack', ['left', 'right', 'total', 'shape', 'rows', 'room'])


class Stacks:
    """Rows of products that have not been added to gradients yet.

    Parameters
    ----------
    planner : Planner
    """

    def __init__(self, planner):
        self._planner = planner
        self._stacks = {}

    def push(self, weight, left, right, total):
        """Append a step that copies rows, if there are few.

        Parameters
        ----------
        weight : int
            The weight, a value.
        left, right : int
            Values: the transpose of ``left`` is multiplied by ``right``.
        total : int
            The gradient so far, to which the product will be added.

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
        """Append the missing product of a gradient, if any."""
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
