"""The converters of functions, by class name."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Collection

from chainer_fast import variable as _variable
from chainer_fast.functions.math import _rounding
from chainer_fast.functions.rnn import n_step_gru
from chainer_fast.onnx import functions
from chainer_fast.onnx.functions.converter import FunctionConverter
from chainer_fast.onnx.replace_func import fake_as_funcnode

_PREFIX = 'convert_'

#: Converters by the name of a function class, or of one of the functions below.
converters: dict[str, FunctionConverter] = {
    name[len(_PREFIX):]: FunctionConverter(converter)
    for name, converter in vars(functions).items() if name.startswith(_PREFIX)}

#: Converters of functions that make no node of the graph, since they have no gradient,
#: by the NumPy functions that they apply.
_WITHOUT_NODE = {'ceil': 'ceil', 'floor': 'floor', 'sign': 'sign', 'trunc': 'fix'}


def patch_functions() -> contextlib.AbstractContextManager[None]:
    """Return a context in which functions without a node get one.

    They are ``ceil``, ``fix``, ``floor`` and ``sign``, and the operator ``//``.
    """
    function = _rounding.piecewise_constant

    def leaving_a_node(x, ufunc):
        if not isinstance(x, _variable.Variable):
            return function(x, ufunc)   # a constant of the network
        return fake_as_funcnode(
            function, _WITHOUT_NODE[ufunc], experimental_warning=False)(x, ufunc)

    return _replaced(_rounding, 'piecewise_constant', leaving_a_node)


def patch_functions_named(
        names: Collection[str]) -> contextlib.AbstractContextManager[None]:
    """Return a context in which functions that are converted as a whole make one
    node.

    Parameters
    ----------
    names : collection of str
        Names of converters. ``'n_step_gru'`` is the only such function: without a
        converter of the user, the function node that computes it is converted.
    """
    if 'n_step_gru' not in names:
        return contextlib.nullcontext()
    function = n_step_gru._run

    def leaving_a_node(kwargs, use_bi_direction, n_layers, ratio, *arrays):
        run = functools.partial(function, kwargs, use_bi_direction)
        if not use_bi_direction:
            run = fake_as_funcnode(run, 'n_step_gru', experimental_warning=False)
        return run(n_layers, ratio, *[_as_variables(each) for each in arrays])

    return _replaced(n_step_gru, '_run', leaving_a_node)


def _as_variables(arrays):
    if isinstance(arrays, (list, tuple)):
        return [_as_variables(each) for each in arrays]
    return _variable.as_variable(arrays)


@contextlib.contextmanager
def _replaced(module, name, function):
    """Return a context that replaces a function of a module."""
    original = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, original)
