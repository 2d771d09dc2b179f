"""Steps for functions that have no compiled ones: the graph engine runs these."""
import copy

import numpy

from chainer_fast import function
from chainer_fast._core import backprop, graph
from chainer_fast.backends.kernels.plan import steps
from chainer_fast.variable import Variable

#: Shortcuts have room for so many: MAX_SHORTCUT_INPUTS in ``_core/graph.pxd``.
_MAX_INPUTS = 8


def has_shortcut(applied, inputs):
    """Return whether a function of so many inputs has a compiled shortcut."""
    return graph.registered(type(applied)) is not None and inputs <= _MAX_INPUTS


def gives_rows(applied):
    """Return whether the shortcut of a function may give gradients by rows."""
    shortcut, _ = graph.registered(type(applied))
    return getattr(shortcut, 'gives_rows', False)


class Fallback(steps.Step):
    """A function that the graph engine applies to variables.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    node : Node
    """

    def __init__(self, index, node):
        self._index = index
        self._node = node

    def run(self, workspace):
        node = self._node
        applied = copy.copy(node.function)
        inputs = [Variable(workspace.arrays[value], requires_grad=flows)
                  for value, flows in zip(node.inputs, node.flows, strict=True)]
        with function.force_backprop_mode():
            outputs = applied.apply(tuple(inputs))
        workspace.fallbacks[self._index] = applied, outputs
        if not workspace.fill(node.outputs, [y.raw_array for y in outputs]):
            raise steps.NotStatic('%s has another result' % node.function.label)
        return True


class FallbackGradient(steps.Step):
    """Gradients of such a function.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    node : Node
    grads : list of (int or None)
        Values that are the gradients of the outputs.
    targets : list of int
        Inputs whose gradients are asked for.
    found : list of int
        Values that become these gradients.
    """

    def __init__(self, index, node, grads, targets, found):
        self._index = index
        self._node = node
        self._grads = grads
        self._targets = tuple(targets)
        self._found = found

    def run(self, workspace):
        applied = workspace.functions[self._index]
        if applied is None or self._index in workspace.declined:
            applied = workspace.fallbacks[self._index][0]
        grads = tuple([
            None if g is None else Variable(workspace.arrays[g], requires_grad=False)
            for g in self._grads])
        sums = {node: [] for node in applied.inputs}
        with function.no_backprop_mode():
            backprop.backprop_step(applied, self._targets, grads, sums, False)
        for i, value in zip(self._targets, self._found, strict=True):
            found = sums[applied.inputs[i]]
            if not found or not workspace.fill((value,), (found[0].array,)):
                raise steps.NotStatic(
                    '%s has no gradient, or another' % self._node.function.label)
        return True


class Sum(steps.Step):
    """Sum of gradients that no loop can add."""

    def __init__(self, a, b, total):
        self._a, self._b, self._total = a, b, total

    def run(self, workspace):
        return _fill(
            workspace, self._total,
            workspace.arrays[self._a] + workspace.arrays[self._b])


class Copy(steps.Step):
    """Copy of a gradient that no loop can make."""

    def __init__(self, source, target):
        self._source, self._target = source, target

    def run(self, workspace):
        return _fill(workspace, self._target, workspace.arrays[self._source].copy())


def _fill(workspace, value, array):
    if not workspace.fill((value,), (numpy.asarray(array),)):
        raise steps.NotStatic('a sum of gradients')
    return True
