"""asv: forward and backward of all functions with an elementwise record."""
import inspect

import numpy as np

import chainer_fast
from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels.common.elementwise import Elementwise

SHAPES = {'small': (8, 16), 'large': (1024, 1024)}


def classes():
    """Return the classes of the package with their records."""
    records = {cls: graph.registered(cls)[0] for cls in graph.classes_with_shortcuts()
               if cls.__module__.startswith('chainer_fast.')}
    return {cls: record for cls, record in records.items()
            if type(record) is Elementwise}


def instance(cls, record, first):
    """Return an instance of a class.

    Parameters
    ----------
    cls : type
    record : Elementwise
        Its record.
    first : number or array
        First argument of the class, if it is the parameter or the array that the record
        names, and one less than the second, if there are two; the other arguments of
        the class are not used.
    """
    wanted = [p for p in inspect.signature(cls).parameters.values()
              if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    if record.parameters or record.held is not None:
        return cls(*[first, first + 1][:max(len(wanted), 1)])
    return cls(*[(None,) for _ in wanted])


def step(cls, size, dtype='f'):
    """Return a step of a class, which returns its inputs with their gradients.

    Parameters
    ----------
    cls : type
        A class with an elementwise record.
    size : str
        ``'small'`` or ``'large'``.
    dtype : str
        Of its arrays.
    """
    record, _ = graph.registered(cls)
    random = np.random.RandomState(0)
    arrays = [random.uniform(.1, .9, SHAPES[size]).astype(dtype) for _ in range(3)]
    xs = [chainer_fast.Variable(x) for x in arrays[:record.inputs]]
    first = arrays[2] if record.held is not None else max(2., record.least)

    def run():
        y, = instance(cls, record, first).apply(tuple(xs))
        y.grad = arrays[2]
        for x in xs:
            x.cleargrad()
        y.backward()
        return xs

    return run


class Records:
    """One step of each function, at both sizes, of halves and of floats."""

    classes = {cls.__name__: cls for cls in classes()}
    params = [list(classes), list(SHAPES), ['e', 'f']]
    param_names = ['function', 'size', 'dtype']

    def setup(self, function, size, dtype):
        self.step = step(self.classes[function], size, dtype)
        self.step()

    def time_forward_backward(self, function, size, dtype):
        self.step()
