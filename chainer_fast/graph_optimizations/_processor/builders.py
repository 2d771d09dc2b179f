"""Builders for functions that have special steps in plans.

A builder of a function class appends the steps of a function, and of its gradient, to
a plan. The record of the class names it.
"""
import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels.common import blas
from chainer_fast.graph_optimizations._processor import plans


def builder_of(function, values, inputs, outputs, uses):
    """Return the builder for a function with these values, or None.

    ``uses`` is the number of function inputs that use each value.
    """
    builder = graph.plan_of(function)
    if builder is None or not all(
            [values.plain[value] for value in (*inputs, *outputs)]):
        return None
    return builder if builder.serves(
        *[values.templates[value] for value in inputs],
        uses=[uses[value] for value in inputs]) else None


class Affine:
    """Affine maps of rows, by products that pack a weight once for all functions."""

    # A packed weight of a larger product would be evicted from caches before its use.
    LARGEST = 1 << 24
    # Maximum ratio of the time of tiles to that of the shortcuts' choice for each of
    # the products. Tiles were measured with packing, but plans pack once.
    MOST_TIME = 1.05
    # For weights with this many uses, the savings by packing once, and by gradients as
    # products of many rows, compensate for a larger ratio: cells of an LSTM whose
    # tiles take 1.13 times the time are 1.2 times as fast with them.
    OFTEN = 4
    MOST_TIME_OFTEN = 1.25
    # A call of BLAS takes longer than this many multiplications.
    TINY = 40 * 40 * 40

    @classmethod
    def serves(cls, x, w, b=None, uses=(1, 1)):
        """Return whether steps exist for arrays of these shapes and types."""
        if not plans.has_tiles or not all([
                array is None or array.dtype == numpy.float32 for array in (x, w, b)]):
            return False
        (rows, depth), columns = x.shape, len(w)
        return 0 < rows * depth * columns <= cls.LARGEST and columns > 1 and (
            cls._pays(rows, depth, columns, uses[1] >= cls.OFTEN))

    @classmethod
    def _pays(cls, rows, depth, columns, often):
        """Return whether tiles are fast enough for the product and its gradients."""
        gains = (blas.gain(rows, columns, depth, right_turned=True),
                 blas.gain(rows, depth, columns),
                 blas.gain(columns, depth, rows, left_turned=True))
        return min(gains) > 0 and (
            rows * depth * columns < cls.TINY or sum([1 / gain for gain in gains]) <= (
                (cls.MOST_TIME_OFTEN if often else cls.MOST_TIME)
                * sum([1 / max(gain, 1) for gain in gains])))

    @staticmethod
    def _pack(planner, value, depth, columns, transposed):
        def make():
            packed = planner.values.add(
                (plans.size_of_packed(depth, columns),), numpy.float32)
            step = plans.Pack(value, packed, depth, columns, transposed)
            planner.step_into(step, (value,), (packed,))
            return packed
        return planner.once((value, transposed), make)

    @classmethod
    def forward(cls, planner, node):
        """Append the function."""
        x, w, *b = node.inputs
        (rows, depth), columns = planner.values.templates[x].shape, len(
            planner.values.templates[w])
        packed = cls._pack(planner, w, depth, columns, True)
        planner.product((rows, depth, columns), x, packed, node.outputs[0], *b)

    @classmethod
    def backward(cls, planner, node, grads, targets, sums):
        """Append gradients; return them by target.

        Parameters
        ----------
        planner : Planner
        node : Node
        grads : list of int
            Gradient of the output.
        targets : list of int
            Inputs whose gradients are requested.
        sums : dict
            Gradients, by value, that may be added to in place.

        Returns
        -------
        dict
            Gradients by target; None for those that other gradients contain, or
            will contain.
        """
        x, w = node.inputs[:2]
        g, = grads
        (rows, depth), columns = planner.values.templates[x].shape, len(
            planner.values.templates[w])
        found = {}
        if 0 in targets:
            packed = cls._pack(planner, w, columns, depth, False)
            found[0] = planner.values.like(x)
            planner.product((rows, columns, depth), g, packed, found[0])
        total = sums.get(w)
        if 1 in targets and total is not None and planner.stacks.push(w, g, x, total):
            found[1] = None
        elif 1 in targets:
            packed = cls._pack(planner, x, rows, depth, False)
            out = planner.values.like(w) if total is None else total
            planner.step_into(
                plans.Product((columns, rows, depth), g, packed, out, total,
                               transposed=True),
                (g, packed, *([] if total is None else [total])), (out,))
            found[1] = None if out is total else out
        if 2 in targets:
            found[2] = planner.values.like(node.inputs[2])
            planner.step_into(
                plans.SumOfRows((rows, columns), g, found[2]), (g,), (found[2],))
        return found


class LSTM:
    """LSTM steps, instead of calls of the kernel."""

    @staticmethod
    def serves(c, x, uses=()):
        """Return whether steps exist for arrays of these shapes and types."""
        return c.dtype == x.dtype and c.dtype in (numpy.float32, numpy.float64) and (
            c.ndim == x.ndim == 2 and len(c) == len(x) > 0 and c.size > 0)

    @staticmethod
    def _step(planner, c, values, gradient):
        template = planner.values.templates[c]
        return plans.LSTMStep(template.dtype.char, template.shape, values, gradient)

    @classmethod
    def forward(cls, planner, node):
        """Append the function."""
        values = node.inputs + node.outputs
        planner.step_into(
            cls._step(planner, node.inputs[0], values, False), node.inputs,
            node.outputs)

    @classmethod
    def backward(cls, planner, node, grads, targets, sums):
        """Append gradients; return them by target. See :meth:`Affine.backward`."""
        found = tuple([planner.values.like(value) for value in node.inputs])
        kept = (*node.inputs, node.outputs[0])
        planner.step_into(
            cls._step(planner, node.inputs[0], (*kept, *grads, *found), True),
            (*kept, *[g for g in grads if g is not None]), found)
        return dict(enumerate(found))
