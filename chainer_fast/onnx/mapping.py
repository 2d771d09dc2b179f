"""The converters of functions, by the names of the functions' classes."""
import contextlib

from chainer_fast import variable as _variable
from chainer_fast.functions.math import _rounding
from chainer_fast.onnx import functions
from chainer_fast.onnx.functions.converter import FunctionConverter
from chainer_fast.onnx.replace_func import fake_as_funcnode

_PREFIX = 'convert_'

#: Converters by name: of a class of functions, or of one of the functions below.
converters = {
    name[len(_PREFIX):]: FunctionConverter(converter)
    for name, converter in vars(functions).items() if name.startswith(_PREFIX)}

#: Converters of functions that make no node of the graph, since they have no gradient,
#: by the functions of NumPy that they apply.
_WITHOUT_NODE = {'ceil': 'ceil', 'floor': 'floor', 'sign': 'sign', 'trunc': 'fix'}


@contextlib.contextmanager
def patch_functions():
    """Return a context in which functions without a node of their own get one.

    They are ``ceil``, ``fix``, ``floor`` and ``sign``, and the operator ``//``.
    """
    function = _rounding.piecewise_constant

    def leaving_a_node(x, ufunc):
        if not isinstance(x, _variable.Variable):
            return function(x, ufunc)   # a constant of the network
        return fake_as_funcnode(
            function, _WITHOUT_NODE[ufunc], experimental_warning=False)(x, ufunc)

    _rounding.piecewise_constant = leaving_a_node
    try:
        yield
    finally:
        _rounding.piecewise_constant = function
