"""The converters of functions, by the names of the functions' classes."""
import contextlib
import functools
import inspect

import chainer_fast.functions as F
from chainer_fast.onnx import functions
from chainer_fast.onnx.functions.converter import FunctionConverter
from chainer_fast.onnx.replace_func import fake_as_funcnode, variables_in

_PREFIX = 'convert_'

#: Converters by name: of a class of functions, or of one of the functions below.
converters = {
    name[len(_PREFIX):]: FunctionConverter(converter)
    for name, converter in vars(functions).items() if name.startswith(_PREFIX)}

#: Functions that make no node of the graph, since they have no gradient.
_PATCHED = 'ceil', 'fix', 'floor', 'sign'


@contextlib.contextmanager
def patch_functions():
    """Return a context in which functions without a node of their own get one.

    They are those of :mod:`chainer_fast.functions` that have no gradient: inside of the
    context, ``F.sign`` and its like leave a node in the graph.
    """
    originals = {name: getattr(F, name) for name in _PATCHED}
    try:
        for name, function in originals.items():
            setattr(F, name, _leaving_a_node(function, name))
        yield
    finally:
        for name, function in originals.items():
            setattr(F, name, function)


def _leaving_a_node(function, name):
    names = list(enumerate(inspect.signature(function).parameters))
    wrapped = fake_as_funcnode(function, name, names, experimental_warning=False)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if variables_in([*args, *kwargs.values()]):
            return wrapped(*args, **kwargs)
        return function(*args, **kwargs)    # a constant of the network
    return call
