"""What is known of shortcuts, and steps where no loop serves."""
import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels.plan import steps

#: Shortcuts have room for so many: MAX_SHORTCUT_INPUTS in ``_core/graphs/graph.pxd``.
_MAX_INPUTS = 8


def has_shortcut(applied, inputs):
    """Return whether a function of so many inputs has a compiled shortcut."""
    return graph.registered(type(applied)) is not None and inputs <= _MAX_INPUTS


def gives_rows(applied):
    """Return whether the shortcut of a function may give gradients by rows."""
    found = graph.registered(type(applied))
    return found is not None and getattr(found[0], 'gives_rows', False)


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
