"""Old-style functions, whose gradients cannot be differentiated again, and switches
for backpropagation."""
from __future__ import annotations

import traceback
import warnings
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from chainer_fast import function_node, variable
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import using_config
from chainer_fast.function_hook import FunctionHook  # noqa: F401
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils._overridable import overridable
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import (
    GradOutputs,
    Variable,
    VariableNode,
    VariableOrArray,
    _bound,
)


def no_backprop_mode() -> AbstractContextManager[Any]:
    """Return a context manager that turns off the construction of graphs.

    Variables computed inside do not refer to the functions that computed them, which
    saves memory if no gradients are needed. This is the same as
    ``using_config('enable_backprop', False)``.

    Returns
    -------
    context manager
        For a ``with`` statement.

    See Also
    --------
    chainer_fast.force_backprop_mode

    Examples
    --------
    >>> x = chainer.Variable(np.ones(2, np.float32))
    >>> with chainer.no_backprop_mode():
    ...     y = x * 2
    >>> y.creator is None, y.requires_grad
    (True, True)
    """
    return using_config('enable_backprop', False)


def force_backprop_mode() -> AbstractContextManager[Any]:
    """Return a context manager that turns on the construction of graphs.

    It takes effect inside :func:`no_backprop_mode`, too. This is the same as
    ``using_config('enable_backprop', True)``.

    Returns
    -------
    context manager
        For a ``with`` statement.

    See Also
    --------
    chainer_fast.no_backprop_mode

    Examples
    --------
    >>> x = chainer.Variable(np.ones(2, np.float32))
    >>> with chainer.no_backprop_mode():
    ...     y = x * 2
    ...     with chainer.force_backprop_mode():
    ...         z = x * 2
    >>> y.creator is None, z.creator is None
    (True, False)
    """
    return using_config('enable_backprop', True)


class FunctionAdapter(function_node.FunctionNode):
    """Node of the graph that runs an old-style function.

    Until it is applied, the function owns its node; from then on the node owns the
    function.

    Parameters
    ----------
    function : Function
        The function.
    """

    _function = None
    _weak_function: Any = None

    def __init__(self, function: Function) -> None:
        super().__init__()
        self._weak_function = weakref.ref(function)

    def _own_function(self):
        """Keep the function alive from now on: the node joins a graph."""
        self._function = self.function
        self._weak_function = None

    @property
    def function(self) -> Function | Any:
        """The function; None if it has been released."""
        if self._function is None:
            return self._weak_function()
        return self._function

    # Makes `Variable.creator` return the function instead of its node.
    _old_style_function = function

    @property
    def label(self) -> str:
        return self.function.label

    @property
    def _impl_name(self):
        return type(self.function).__name__

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        self.function.check_type_forward(in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # backward of an old-style function receives all inputs unless it retains some
        # only.
        self.retain_inputs(range(len(inputs)))
        return self.function.forward(inputs)

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        in_data = tuple([node.data for node in self.inputs])
        out_grad = tuple([None if gy is None else gy.array for gy in grad_outputs])
        with cuda.get_device_from_array(*in_data, *out_grad):
            gradients = self.function.backward(in_data, out_grad)
        return tuple([
            self._as_variable(gradients[i]) for i in target_input_indexes])

    def _as_variable(self, gradient):
        if gradient is None:
            return None
        if not isinstance(gradient, get_array_types()):
            raise TypeError(
                'backward of the Function %s has to return a tuple of arrays and None, '
                'but there is a gradient of %s' % (self.label, type(gradient)))
        gx = variable.Variable(gradient)
        # Backpropagation through the gradient would find no graph and silently omit a
        # part of the result.
        gx.node._old_style_grad_generator = self.label
        return gx


class Function:
    """Old-style differentiable function.

    A subclass defines ``forward`` and ``backward``, or the pair ``*_cpu`` and ``*_gpu``
    of each, on tuples of arrays. Its instances are called with variables. Unlike
    :class:`~chainer_fast.FunctionNode`, it cannot be differentiated twice.

    Use each instance only once.

    See Also
    --------
    chainer_fast.FunctionNode

    Examples
    --------
    >>> class Square(chainer.Function):
    ...     def forward(self, inputs):
    ...         x, = inputs
    ...         return x * x,
    ...     def backward(self, inputs, grad_outputs):
    ...         x, = inputs
    ...         gy, = grad_outputs
    ...         return 2 * x * gy,
    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> F.sum(Square()(x)).backward()
    >>> x.grad
    array([2., 4.], dtype=float32)
    """

    # The node before it joins a graph, and a weak reference to it afterwards.
    _owned_node = None
    _node = None

    def __call__(self, *inputs: VariableOrArray) -> Any:
        """Compute the outputs and add the function to the graph.

        Parameters
        ----------
        *inputs : Variable or array
            An array is treated as a variable that requires no gradient.

        Returns
        -------
        Variable or tuple of Variable
            A variable if there is one output, otherwise a tuple.
        """
        node = self.node
        node._own_function()
        self._node = weakref.ref(node)
        self._owned_node = None
        outputs = node.apply(inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def __getstate__(self) -> dict[str, Any]:
        # A copy gets its own node.
        return {key: value for key, value in vars(self).items()
                if key not in ('_node', '_owned_node')}

    @property
    def node(self) -> FunctionAdapter:
        """The :class:`FunctionAdapter` that represents the function in the graph."""
        node = self._node() if self._node is not None else self._owned_node
        if node is None:
            node = self._make_node()
            self._owned_node, self._node = node, None
        return node

    def _make_node(self):
        return FunctionAdapter(self)

    @property
    def inputs(self) -> tuple[VariableNode, ...] | None:
        """Nodes of the inputs, a tuple; None outside of a graph."""
        return self.node.inputs

    @property
    def outputs(self) -> tuple[Any, ...] | None:
        """Weak references to the nodes of the outputs; None outside of a graph."""
        return self.node.outputs

    @property
    def output_data(self) -> tuple[NdArray | None, ...]:
        """Retained output arrays, a tuple with None for those not retained.

        Raises
        ------
        RuntimeError
            If none is retained.
        """
        node = self.node
        retained = node._retained_output_data
        if retained is None:
            raise RuntimeError(
                'retained output data is gone: either forward did not call '
                'retain_outputs(), or the function is not in a graph')
        # Not through the output nodes: unused ones have been released.
        data = [None] * node._output_count
        for i, array in zip(node._output_indexes_to_retain, retained, strict=True):
            data[i] = array
        return tuple(data)

    @property
    def rank(self) -> int:
        """Highest rank of the inputs."""
        return self.node.rank

    @property
    def stack(self) -> traceback.StackSummary | None:
        """Stack of the call of the function; None outside of the debug mode."""
        return self.node.stack

    @property
    def label(self) -> str:
        """Short name for display; by default the name of the class."""
        return type(self).__name__

    @property
    def local_function_hooks(self) -> dict[str, FunctionHook]:
        """Hooks of this function, an OrderedDict by name."""
        return self.node.local_function_hooks

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Add a hook to this function only; see :meth:`FunctionNode.add_hook`."""
        self.node.add_hook(hook, name)

    def delete_hook(self, name: str) -> None:
        """Remove a hook of this function; see :meth:`FunctionNode.delete_hook`."""
        self.node.delete_hook(name)

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
        return self._on_device('forward', inputs)(inputs)

    @overridable
    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the outputs for NumPy arrays; to be overridden."""
        return self._not_written('forward_cpu')

    @overridable
    def forward_gpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the outputs for CuPy arrays; to be overridden."""
        return self._not_written('forward_gpu')

    @overridable
    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        """Compute the gradients of the inputs.

        Parameters
        ----------
        inputs : tuple of array or None
            Inputs; None for those that are not retained.
        grad_outputs : tuple of array or None
            Gradients of the outputs; None for an output that nothing depends on.

        Returns
        -------
        tuple of array or None
            Gradients of all inputs; None means zero. By default :meth:`backward_gpu`
            computes them if an array is on a GPU, otherwise :meth:`backward_cpu` does.
        """
        compute = self._on_device('backward', (*inputs, *grad_outputs))
        return compute(inputs, grad_outputs)

    @overridable
    def backward_cpu(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        """Compute the gradients for NumPy arrays; to be overridden."""
        return (None,) * len(inputs)

    @overridable
    def backward_gpu(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        """Compute the gradients for CuPy arrays; to be overridden."""
        return (None,) * len(inputs)

    def _on_device(self, method, arrays):
        on_gpu = any(isinstance(array, cuda.ndarray) for array in arrays)
        return getattr(self, method + ('_gpu' if on_gpu else '_cpu'))

    def _not_written(self, method) -> NoReturn:
        raise NotImplementedError(
            '%s has neither forward nor %s' % (type(self).__name__, method))

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Declare which inputs backward needs; called in forward.

        Parameters
        ----------
        indexes : iterable of int
            Positions of the inputs. All are retained if the method is not called.
        """
        self.node.retain_inputs(indexes)

    def retain_outputs(
            self, indexes: Sequence[int],
            retain_after_backward: bool = False) -> None:
        """Keep outputs for backward, in :attr:`output_data`; called in forward.

        Parameters
        ----------
        indexes : iterable of int
            Positions of the outputs.
        retain_after_backward : bool
            Deprecated and ignored.
        """
        if retain_after_backward:
            warnings.warn(
                'retain_after_backward option has no effect', DeprecationWarning)
        self.node.retain_outputs(indexes)

    def unchain(self) -> None:
        """Remove the function from the graph: release its inputs, detach its outputs.
        """
        self.node.unchain()


_bound.bind(Function=Function)
