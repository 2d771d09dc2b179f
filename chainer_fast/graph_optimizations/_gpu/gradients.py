"""Recorded gradients of a call of a static chain."""
from typing import Any

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.graph_optimizations._replay import RecordedGradients


class Gradients(RecordedGradients):
    """Gradients of a recording for some inputs, launched from a graph.

    Parameters
    ----------
    recorder : Recorder
    grads : list of (cupy.ndarray or None)
        Gradients of the outputs.
    differentiate : callable
        Computes gradients of the inputs from such gradients.

    Raises
    ------
    Exception
        If they cannot be recorded.
    """

    def __init__(self, recorder, grads, differentiate):
        self.given = [None if g is None else recorder.copy(g) for g in grads]
        self._recorded, self.found = recorder.record(
            lambda: self._join(differentiate(self.given)))
        self.launch = self._recorded.launch

    def _join(self, found):
        """Copy gradients of each dtype to one array, so that one copy reads all of
        them.

        The slots of the gradients are recorded: dtype, begin, end, shape, and
        whether channels are last in memory.
        """
        self._places: list[Any] = []
        sizes: dict[Any, Any] = {}
        for g in found:
            if g is None:
                self._places.append(None)
                continue
            begin = sizes.get(g.dtype, 0)
            sizes[g.dtype] = begin + g.size
            self._places.append(
                (g.dtype, begin, begin + g.size, g.shape, _image_orders.keeps(g)))
        joined = {dtype: cuda.cupy.empty(size, dtype) for dtype, size in sizes.items()}
        for g, place in zip(found, self._places, strict=True):
            if g is not None:
                _part(joined, place)[...] = g
        return list(joined.values())

    def new_arrays(self):
        """Return new arrays for all gradients, and the part of each gradient."""
        wholes = [cuda.cupy.empty(x.shape, x.dtype) for x in self.found]
        by_dtype = {x.dtype: x for x in wholes}
        return wholes, [
            None if place is None else _part(by_dtype, place) for place in self._places]


def _part(wholes, place):
    """Return the part of a joined array that is one gradient."""
    dtype, begin, end, shape, last = place
    part = wholes[dtype][begin:end]
    if not last:
        return part.reshape(shape)
    return _image_orders.semantic(part.reshape(shape[0], *shape[2:], shape[1]))
