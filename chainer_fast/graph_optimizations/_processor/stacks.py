"""Gradients of weights that several functions use: products of the rows of many."""
import collections

import numpy

from chainer_fast._core import factors
from chainer_fast.backends.kernels.plan import layers

# Values with rows of the factors, the value that their product is added to, and the
# rows that there are so far.
_Stack = collections.namedtuple('_Stack', ['left', 'right', 'total', 'rows'])


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
        room = factors.rows_together(m, n, templates[left].itemsize)
        if 2 * rows > room:
            return False
        stack = self._stacks.get(weight)
        if stack is None:
            add = self._planner.values.add
            stack = _Stack(add((room, m), numpy.float32), add((room, n), numpy.float32),
                           total, 0)
        elif stack.rows + rows > room:
            self.settle(weight)
            stack = stack._replace(rows=0)
        self._planner.step_into(
            layers.CopyRows(stack.rows, rows, (left, right), (m, n), stack[:2]),
            (left, right), stack[:2])
        self._stacks[weight] = stack._replace(rows=stack.rows + rows)
        return True

    def settle(self, weight):
        """Append the product that a gradient lacks, if it does."""
        stack = self._stacks.pop(weight, None)
        if stack is None:
            return
        values = self._planner.values
        left, right, total, rows = stack
        m, n = values.templates[total].shape
        packed = values.add((layers.size_of_packed(rows, n),), numpy.float32)
        self._planner.step_into(
            layers.Pack(right, packed, rows, n, False), (right,), (packed,))
        self._planner.step_into(
            layers.Product((m, rows, n), left, packed, total, total, turned=True),
            (left, packed, total), (total,))
