"""Functions of the computational graph, and gradients of variables."""
from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy

from chainer_fast import backend, function_hook
from chainer_fast import variable as _variable
from chainer_fast._core import kinds
from chainer_fast._core.backward import backprop as _backprop_core
from chainer_fast._core.graphs import graph as _graph
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda, layouts
from chainer_fast.backends.arrays import get_array_types, is_arrays_compatible
from chainer_fast.function_hook import FunctionHook
from chainer_fast.graph_optimizations.static_graph_utilities import (
    static_forward_optimizations,
)
from chainer_fast.types import NdArray
from chainer_fast.utils import _foreign, _type_advice, argument, type_check
from chainer_fast.utils._overridable import overridable
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable

__all__ = ['FunctionNode', 'grad', 'static_forward_optimizations']


class _FallbackType:
    """Type of :data:`Fallback`, which a function's ``forward_chainerx`` returns."""

    # Pickles refer to the object by name: an attribute of the package.
    __module__ = 'chainer_fast'

    def __repr__(self) -> str:
        return 'Fallback'

    def __reduce__(self) -> str:
        return 'Fallback'


#: What ``forward_chainerx`` returns to have ``forward`` compute the outputs instead.
Fallback: Any = _FallbackType()


class FunctionNode(_graph.FunctionBase):
    """A differentiable function as a node of the computational graph.

    A subclass defines ``forward`` (or ``forward_cpu`` and ``forward_gpu``), which
    accepts and returns tuples of arrays, and ``backward``, which accepts and returns
    variables, so that it can be differentiated again. Create a new instance for each
    application and call its method :meth:`apply`.

    Attributes
    ----------
    inputs : tuple of VariableNode
        Nodes of the inputs.
    outputs : tuple of weakref.ref
        Weak references to the nodes of the outputs.
    rank : int
        Highest rank of the inputs.
    stack : traceback.StackSummary or None
        Call stack at which the function was applied; recorded in debug mode only.
    lazy_grad_sum : bool
        Whether the gradients that several functions compute for an input are summed in
        one call; the value of ``config.lazy_grad_sum`` when the function was applied.

    See Also
    --------
    chainer_fast.Function
    chainer_fast.gradient_check

    Examples
    --------
    >>> class Square(chainer.FunctionNode):
    ...     def forward(self, inputs):
    ...         x, = inputs
    ...         self.retain_inputs((0,))
    ...         return x * x,
    ...     def backward(self, target_input_indexes, grad_outputs):
    ...         x, = self.get_retained_inputs()
    ...         gy, = grad_outputs
    ...         return 2 * x * gy,
    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> y, = Square().apply((x,))
    >>> y.array
    array([1., 4.], dtype=float32)
    >>> F.sum(y).backward()
    >>> x.grad
    array([2., 4.], dtype=float32)
    """

    stack = None
    is_elementwise = False
    chainerx_device = None

    _input_layouts: Any = None
    _output_layouts = None
    _local_function_hooks = None
    _supports_static_optimizations = False
    _is_chainerx_fallback_mode = False
    # Whether all random numbers that this class itself draws are uniform.
    _draws_uniform = False

    @property
    def _impl_name(self):
        return type(self).__name__

    @property
    def _n_local_function_hooks(self):
        return len(self._local_function_hooks or ())

    @property
    def label(self) -> str:
        """Short name for display; by default the name of the class."""
        return type(self).__name__

    @property
    def output_data(self) -> tuple[NdArray | None, ...]:
        """Output arrays, a tuple with None for those that are not retained.

        Raises
        ------
        RuntimeError
            If :meth:`retain_outputs` was not called, or there is no graph.
        """
        kept = self._retained_output_data
        if kept is None:
            raise RuntimeError('retained output data is gone')
        arrays = [None] * self._output_count
        for index, array in zip(self._output_indexes_to_retain, kept, strict=True):
            arrays[index] = array
        return tuple(arrays)

    @property
    def local_function_hooks(self) -> dict[str, FunctionHook]:
        """Hooks of this function only, an OrderedDict by name."""
        hooks = self._local_function_hooks
        if hooks is None:
            hooks = self._local_function_hooks = collections.OrderedDict()
        return hooks

    @property
    def input_layouts(self) -> tuple[Any, ...]:
        """Memory layouts of the inputs, a tuple; None is the standard layout."""
        if self._input_layouts is not None:
            return self._input_layouts
        return (None,) * self._input_count

    @property
    def output_layouts(self) -> tuple[Any, ...]:
        """Memory layouts of the outputs, a tuple; to be set in ``forward``."""
        if self._output_layouts is not None:
            return self._output_layouts
        return (None,) * self._output_count

    @output_layouts.setter
    def output_layouts(self, layouts: Iterable[Any]) -> None:
        self._output_layouts = tuple(layouts)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            'FunctionNode is not callable: call its apply method, with a tuple of '
            'inputs. Function %s' % type(self).__name__)

    # -- forward

    def _check_data_type_forward(self, arrays):
        shapes = None
        if self._input_layouts is not None:
            shapes = self._semantic_shapes(arrays)
        try:
            # Light mode compares the types of the arrays and builds no message.
            with type_check.light_mode:
                self.check_type_forward(
                    type_check.get_light_types(arrays, shapes=shapes))
            return
        except type_check.InvalidType:
            pass
        with type_check.get_function_check_context(self):
            types = type_check.get_types(arrays, 'in_types', True, shapes=shapes)
            try:
                self.check_type_forward(types)
            except type_check.InvalidType as error:
                _type_advice.add(error, self, types)
                raise

    def _semantic_shapes(self, arrays):
        return [
            layouts.get_semantic_shape(array, assumed_layout=layout)
            for array, layout in zip(arrays, self._input_layouts, strict=True)]

    def _advice(self, expect, x, *others):
        """Return advice on inputs that failed a check, or None; to be overridden.

        Parameters
        ----------
        expect : str
            The condition that is not met.
        x, *others : TypeInfo or array
            Shapes and dtypes of the inputs.
        """

    def _note_input_layouts(self, variables):
        self._input_layouts = tuple([var.layout for var in variables])
        self.check_layout_forward(variables)

    def check_layout_forward(self, inputs: tuple[Variable, ...]) -> None:
        """Check the memory layouts of the inputs; to be overridden.

        Parameters
        ----------
        inputs : sequence of Variable
            The inputs; at least one has a layout that is not the standard one.

        Raises
        ------
        RuntimeError
            By default, because a function accepts only arrays in the standard layout.
        """
        raise RuntimeError(
            '%s does not accept inputs with a non-standard layout: use as_layout(None) '
            'first.\n'
            'layouts: %s' % (self._impl_name, [var.layout for var in inputs]))

    @overridable
    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        """Check types and shapes of the inputs; to be overridden.

        Parameters
        ----------
        in_types : TypeInfoTuple
            Types of the inputs, for :func:`chainer_fast.utils.type_check.expect`.
        """

    @overridable
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the outputs.

        Parameters
        ----------
        inputs : tuple of array
            Inputs.

        Returns
        -------
        tuple of array
            Outputs. By default :meth:`forward_gpu` computes them if an input is on a
            GPU, otherwise :meth:`forward_cpu` does.
        """
        if any(isinstance(x, cuda.ndarray) for x in inputs):
            return self.forward_gpu(inputs)
        return self.forward_cpu(inputs)

    @overridable
    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the outputs for NumPy arrays; to be overridden."""
        raise NotImplementedError(
            '%s has neither forward nor forward_cpu' % type(self).__name__)

    @overridable
    def forward_gpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the outputs for CuPy arrays; to be overridden."""
        raise NotImplementedError(
            '%s has neither forward nor forward_gpu' % type(self).__name__)

    def forward_chainerx(self, inputs: tuple[Any, ...]) -> Any:
        """Compute the outputs for ChainerX arrays; may be overridden.

        Parameters
        ----------
        inputs : tuple of chainerx.ndarray
            Inputs.

        Returns
        -------
        tuple of chainerx.ndarray
            Outputs, whose gradients ChainerX computes. By default :data:`Fallback`:
            :meth:`forward` is called with NumPy or CuPy arrays that share their memory,
            and :meth:`backward` computes the gradients.
        """
        return Fallback

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Keep input arrays for backward; to be called in forward.

        Parameters
        ----------
        indexes : iterable of int
            Positions of the inputs. Other inputs are released with their variables.
        """
        self._input_indexes_to_retain: Any = indexes

    def retain_outputs(self, indexes: Sequence[int]) -> None:
        """Keep output arrays for backward; to be called in forward.

        Parameters
        ----------
        indexes : iterable of int
            Positions of the outputs. Other outputs are released with their variables.
        """
        self._output_indexes_to_retain: Any = indexes

    # -- backward

    def unchain(self) -> None:
        """Remove the function from the graph: release its inputs, detach its outputs.
        """
        for reference in self.outputs or ():
            node = reference()
            if node is not None:
                node.unchain()
        self.outputs: Any = None
        self.inputs: Any = None

    @overridable
    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        """Compute the gradients of inputs; to be overridden.

        Parameters
        ----------
        target_input_indexes : tuple of int
            Positions of the inputs whose gradients are needed, in ascending order.
        grad_outputs : tuple of Variable or None
            Gradients of the outputs.

        Returns
        -------
        tuple of Variable or None
            Gradients of the target inputs, or of all inputs. None means zero. By
            default all gradients are zero.
        """
        return (None,) * len(target_input_indexes)

    def backward_accumulate(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs,
            grad_inputs: tuple[Variable | None, ...]) -> Sequence[Variable | None]:
        """Compute the gradients of inputs and add them to those found so far.

        Override it instead of :meth:`backward` if computing and adding in one step is
        faster.

        Parameters
        ----------
        target_input_indexes : tuple of int
            Positions of the inputs whose gradients are needed, in ascending order.
        grad_outputs : tuple of Variable or None
            Gradients of the outputs.
        grad_inputs : tuple of Variable or None
            Gradients of the target inputs from other functions. If a variable is an
            input twice, only its first position has the gradient.

        Returns
        -------
        tuple of Variable or None
            Sums for the target inputs, exactly one for each.
        """
        gradients = self.backward(target_input_indexes, grad_outputs)
        if len(gradients) == len(self.inputs):
            gradients = [gradients[i] for i in target_input_indexes]
        elif len(gradients) != len(target_input_indexes):
            raise ValueError(
                'number of gradients returned by %s (%s) is incorrect: %d instead of %d'
                % (self._impl_name, self.label, len(gradients),
                   len(target_input_indexes)))
        sums = []
        for new, old in zip(gradients, grad_inputs, strict=True):
            if new is None or old is None:
                sums.append(old if new is None else new)
            else:
                sums.append(new + old)
        return tuple(sums)

    # -- hooks

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Add a hook to this function only.

        Parameters
        ----------
        hook : FunctionHook
            The hook.
        name : str, optional
            Name to register it under; by default the name of the hook.

        Raises
        ------
        TypeError
            If ``hook`` is not a function hook.
        KeyError
            If the function already has a hook of that name.
        """
        if not isinstance(hook, function_hook.FunctionHook):
            raise TypeError('Hook must be a FunctionHook, not %s' % type(hook))
        if name is None:
            name = hook.name
        hooks = self.local_function_hooks
        if name in hooks:
            raise KeyError('Hook %s already exists' % (name,))
        hooks[name] = hook
        hook.added(self)

    def delete_hook(self, name: str) -> None:
        """Remove a hook of this function.

        Parameters
        ----------
        name : str
            Its name.

        Raises
        ------
        KeyError
            If the function has no hook of that name.
        """
        if name not in self.local_function_hooks:
            raise KeyError('Hook %s does not exist' % (name,))
        self.local_function_hooks[name].deleted(self)
        del self.local_function_hooks[name]


def _device_scope(arrays):
    """Return a context in which the GPU of the arrays is current; None on the CPU."""
    for array in arrays:
        if isinstance(array, cuda.ndarray):
            return backend.get_device_from_array(array).create_context()
    return None


def _has_nan(array):
    """Return whether a floating-point array contains NaN."""
    if array.dtype.kind != 'f':
        return False
    device = backend.get_device_from_array(array)
    with contextlib.nullcontext() if device.xp is numpy else device.create_context():
        return bool(device.xp.isnan(array).any())


def _accepts_array(array):
    return isinstance(array, get_array_types())


def _describe_arrays():
    return ' or '.join(str(t) for t in get_array_types())


_graph.bind(
    variable=_variable.Variable,
    variable_node=_variable.VariableNode,
    accepts_array=_accepts_array,
    describe_arrays=_describe_arrays,
    cure_of_mixture=_foreign.of_mixture,
    unexpected=argument.unexpected,
    compatible=is_arrays_compatible,
    device_scope=_device_scope,
    has_nan=_has_nan,
    run_static=static_forward_optimizations)
_backprop_core.bind(
    function_node=FunctionNode, device_scope=_device_scope, has_nan=_has_nan)


def _check_sequence(name, value):
    if not isinstance(value, (tuple, list)):
        raise TypeError('%s must be a tuple or a list, not %s.' % (name, type(value)))


def _check_partners(name, values, partner_name, partners):
    """Return a list of gradients; check that there is one for each variable."""
    if values is None:
        return [None] * len(partners)
    _check_sequence(name, values)
    if len(values) != len(partners):
        raise ValueError(
            '%s must be of the same length as %s.\nlen(%s) = %d, len(%s) = %d'
            % (name, partner_name, partner_name, len(partners), name, len(values)))
    return [
        None if value is None else _variable.as_variable(value) for value in values]


def grad(
        outputs: Sequence[Variable],
        inputs: Sequence[Variable],
        grad_outputs: Sequence[Variable | None] | None = None,
        grad_inputs: Sequence[Variable | None] | None = None,
        set_grad: bool = False, retain_grad: bool = False,
        enable_double_backprop: bool = False,
        loss_scale: float | None = None) -> list[Variable | None]:
    """Return the gradients of ``outputs`` with respect to ``inputs``.

    Only functions on a path from an input to an output are differentiated, and the
    gradients that variables hold are not changed unless ``set_grad`` or ``retain_grad``
    is true.

    Parameters
    ----------
    outputs : tuple or list of Variable
        The variables to differentiate. The gradients are those of their sum.
    inputs : tuple or list of Variable
        The variables with respect to which to differentiate.
    grad_outputs : tuple or list of Variable or None, optional
        Gradients of the outputs. Missing gradients are ones.
    grad_inputs : tuple or list of Variable or None, optional
        Gradients that the results are added to.
    set_grad : bool
        Whether the inputs' ``grad_var`` are set to the results.
    retain_grad : bool
        Whether ``grad_var`` is also set for all variables between the two.
    enable_double_backprop : bool
        Whether the results can be differentiated again.
    loss_scale : float, optional
        Factor for the default gradients of the outputs.

    Returns
    -------
    list of Variable or None
        A gradient for each input; None for an input on which no output depends.

    Raises
    ------
    TypeError
        If an argument is not a tuple or a list of variables.
    ValueError
        If lengths differ.

    See Also
    --------
    chainer_fast.Variable.backward
    chainer_fast.backward

    Examples
    --------
    The second derivative of the cube:

    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> y = x ** 3
    >>> gx, = chainer.grad([y], [x], enable_double_backprop=True)
    >>> ggx, = chainer.grad([gx], [x])
    >>> gx.array, ggx.array
    (array([ 3., 12.], dtype=float32), array([ 6., 12.], dtype=float32))
    >>> x.grad is None
    True
    """
    _check_sequence('outputs', outputs)
    _check_sequence('inputs', inputs)
    gys = _check_partners('grad_outputs', grad_outputs, 'outputs', outputs)
    gxs = _check_partners('grad_inputs', grad_inputs, 'inputs', inputs)
    for name, variables in (('outputs', outputs), ('inputs', inputs)):
        for var in variables:
            if not isinstance(var, _variable.Variable):
                raise TypeError(
                    'each of %s must be a Variable, not %s' % (name, type(var)))
            if variables is outputs and not var._has_wrapper:
                var.node._check_old_style_gradient()
    if any([y._has_wrapper for y in (*outputs, *inputs)]):
        return kinds.of_wrappers.grad(
            outputs, inputs, gys, gxs, set_grad, retain_grad, enable_double_backprop,
            loss_scale)
    for i, y in enumerate(outputs):
        if gys[i] is None:
            with cuda.get_device_from_array(y.array):
                ones = y.xp.ones_like(y.array)
                if loss_scale is not None:
                    ones *= loss_scale
            gys[i] = _variable.Variable(ones, requires_grad=False)
    try:
        return _backprop_core.differentiate(
            outputs, inputs, gys, gxs, set_grad=set_grad, retain_grad=retain_grad,
            enable_double_backprop=enable_double_backprop)
    except Exception as error:
        mistakes.explain_backward(error)
        raise
