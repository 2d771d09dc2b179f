"""asv: forward and backward of all functions with an elementwise record."""
import inspect

import numpy as np

import chainer_fast
from chainer_fast._core import graph
from chainer_fast.backends.kernels.common.elementwise import Elementwise

SHAPES = {'small': (8, 16), 'large': (1024, 1024)}


def classes():
    """Return the classes by name."""
    return {cls.__name__: cls for cls in graph.classes_with_shortcuts()
            if type(graph.registered(cls)[0]) is Elementwise}


def step(cls, size):
    """Return a step of a class, which returns its inputs with their gradients.

    Parameters
    ----------
    cls : type
        Its first argument is the parameter or the array that its record names; what
        else it wants is not used.
    size : str
        ``'small'`` or ``'large'``.
    """
    record, _ = graph.registered(cls)
    random = np.random.RandomState(0)
    arrays = [random.uniform(.5, 1.5, SHAPES[size]).astype('f') for _ in range(3)]
    xs = [chainer_fast.Variable(x) for x in arrays[:record.inputs]]
    if record.held is not None:
        arguments = [arrays[2]]
    elif record.parameters:
        arguments = [max(2., record.least)]
    else:
        arguments = [(None,) for p in inspect.signature(cls).parameters.values()
                     if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]

    def run():
        y, = cls(*arguments).apply(tuple(xs))
        y.grad = arrays[2]
        for x in xs:
            x.cleargrad()
        y.backward()
        return xs

    return run


class Records:
    """One step of each function, at both sizes."""

    params = [list(classes()), list(SHAPES)]
    param_names = ['function', 'size']

    def setup(self, function, size):
        self.step = step(classes()[function], size)
        self.step()

    def time_forward_backward(self, function, size):
        self.step()
