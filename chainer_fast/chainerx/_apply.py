"""Functions of variables, applied to arrays of ChainerX.

If the class has a ``forward_chainerx``, it is called first. Functions of this package
compute with the wrapped plain arrays, forward and backward. Other functions have a
``forward`` for plain arrays, which share their memory, and a ``backward`` for
variables of ChainerX arrays.
"""
from __future__ import annotations

from typing import Any

from chainer_fast import function, function_node
from chainer_fast.backends import arrays as _arrays
from chainer_fast.chainerx import _array, _contexts, _graphs, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.variable import Variable

_new_variable: Any = Variable._init_unchecked
_plain_types = _arrays.get_array_types()


def apply(node: Any, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
    """Apply a function to variables and arrays, one of which is of ChainerX.

    Raises
    ------
    TypeError
        If another one is not.
    """
    given = [x.raw_array if isinstance(x, Variable) else x for x in inputs]
    found = [x for x in given if x is not None]
    for x in found:
        if type(x) is not ndarray:
            raise TypeError(
                'incompatible array types are mixed in the forward input (%s).\n'
                'Actual: %s' % (node.label, ', '.join([str(type(x)) for x in given])))
    device = _running.common_device(found)
    if type(node).forward_chainerx is not FunctionNode.forward_chainerx:
        outputs = _forward_chainerx(node, tuple(given), device)
        if outputs is not function_node.Fallback:
            return tuple([_around(y) for y in outputs])
    run = _running.run
    users = not type(node).__module__.startswith('chainer_fast.')
    if users or node._local_function_hooks:
        run = _running.applied      # it runs code of the user
    if users:
        several = any([x._ids is not None for x in found])
        node = _UserFunction(node, device, several)
    else:
        attributes = vars(node)
        if isinstance(node, function.FunctionAdapter):
            attributes = vars(node.function)
        _fall_back(attributes)

    def compute(*variables):
        rest = iter(variables)
        return node.apply(tuple([None if x is None else next(rest) for x in given]))
    return tuple([_around(y) for y in run(compute, *found)])


def _forward_chainerx(node, inputs, device):
    if config.type_check:
        node._check_data_type_forward(
            tuple([None if x is None else x._array for x in inputs]))
    with _contexts.using_device(device):
        return node.forward_chainerx(inputs)


def computes_inside(cls: type[Any]) -> bool:
    """Return whether functions of a class compute with the wrapped plain arrays."""
    return (cls.__module__.startswith('chainer_fast.')
            and cls.forward_chainerx is FunctionNode.forward_chainerx
            and not issubclass(cls, function.FunctionAdapter))


def _around(array):
    """Return a variable of an array, which requires a gradient in graphs."""
    if array is None or array._v.raw_array is None:
        return _new_variable(None, requires_grad=False)
    requires_grad = array._v.requires_grad and (
        array._ids is None or _graphs.default_id() in array._ids)
    return _new_variable(array, requires_grad=requires_grad)


def _fall_back(attributes):
    """Replace arrays among attributes by the wrapped plain arrays."""
    for name, value in attributes.items():
        if type(value) is ndarray:
            attributes[name] = value._array


def _give_back(attributes, device):
    """Replace plain arrays among attributes by arrays that wrap them."""
    for name, value in attributes.items():
        if isinstance(value, _plain_types):
            attributes[name] = _array.plain(value, device)


class _UserFunction(FunctionNode):
    """A function from outside this package, in the graph of the plain arrays."""

    def __init__(self, user, device, several):
        super().__init__()
        self._user, self._device, self._several = user, device, several
        if user._local_function_hooks:
            self._local_function_hooks = user._local_function_hooks

    @property
    def label(self):
        return self._user.label

    @property
    def _impl_name(self):
        return self._user._impl_name

    def check_type_forward(self, in_types):
        self._user.check_type_forward(in_types)

    def forward(self, inputs):
        user, attributes = self._user, vars(self._user)
        user._input_indexes_to_retain = user._output_indexes_to_retain = None
        _fall_back(attributes)
        outputs = user.forward(inputs)
        _give_back(attributes, self._device)
        self._input_indexes_to_retain = user._input_indexes_to_retain
        self._output_indexes_to_retain = user._output_indexes_to_retain
        return outputs

    def _outer(self, variable):
        """Return a variable of a ChainerX array that wraps one of a plain array."""
        if variable is None or variable.raw_array is None:
            return None
        if self._several:
            return _around(_array.as_array(variable, self._device))
        if variable.requires_grad and variable.dtype.kind == 'f':
            return _around(_array.wrap(variable, self._device))
        return _around(_array.plain(variable.raw_array, self._device))

    def _outer_all(self, variables):
        return tuple([self._outer(v) for v in variables])

    def _retained_inputs(self):
        return self._outer_all(self.get_retained_inputs())

    def _retained_outputs(self):
        return self._outer_all(self.get_retained_outputs())

    def backward_accumulate(self, target_input_indexes, grad_outputs, grad_inputs):
        user = self._user
        user.inputs = self.inputs
        user.get_retained_inputs = self._retained_inputs
        user.get_retained_outputs = self._retained_outputs
        try:
            with _contexts.using_device(self._device):
                found = user.backward_accumulate(
                    target_input_indexes, self._outer_all(grad_outputs),
                    self._outer_all(grad_inputs))
        finally:
            del user.get_retained_inputs, user.get_retained_outputs
        return tuple([self._inner(g) for g in found])

    def _inner(self, gradient):
        if gradient is None:
            return None
        array = gradient.raw_array if isinstance(gradient, Variable) else gradient
        if type(array) is not ndarray:
            raise TypeError(
                'backward of %s must return variables of arrays of ChainerX, like its '
                'arguments, not %s' % (self.label, type(array)))
        return array._v
