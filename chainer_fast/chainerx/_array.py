"""The array class, which wraps a NumPy or CuPy array, a device, and graphs.

The array holds a variable, and is in the default graph if that variable is. If it is
in other graphs as well, it holds the names of all of them; the variable then requires
a gradient for any of them. Thus an array that is only in the default graph costs no
more than a variable.
"""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _contexts, _dtypes, _errors, _graphs
from chainer_fast.chainerx._contexts import BackpropId, Device
from chainer_fast.variable import Variable

_new_variable = Variable._init_unchecked

# Nodes of results whose arrays keep gradients.
inner_nodes: weakref.WeakSet[Any] = weakref.WeakSet()


class ndarray(graph.ArrayBase):
    """An array with automatic differentiation.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype
    device : Device or str, optional
        By default the default one.
    """

    __slots__ = ()
    __module__ = 'chainerx'
    __array_priority__ = 300.
    __array_ufunc__ = None      # operators of NumPy scalars defer to the array
    __hash__ = object.__hash__

    if TYPE_CHECKING:
        # Routines become methods where they are defined.
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, shape: Any, dtype: Any, device: Any = None) -> None:
        device = _contexts.get_device(device)
        with device.scope():
            array = device.xp.empty(_dtypes.shape(shape), _dtypes.dtype(dtype))
        self._v, self._device = _new_variable(array, requires_grad=False), device

    # -- properties

    @property
    def _array(self) -> Any:
        """The array of NumPy or CuPy."""
        return self._v.raw_array

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._v.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of the elements."""
        return self._v.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._v.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._v.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._v.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._v.size * self._v.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self._array.strides

    @property
    def device(self) -> Device:
        """The device of the array."""
        return self._device

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous in C order."""
        return self._array.flags.c_contiguous

    # -- graphs

    def _all_graphs(self) -> frozenset[BackpropId]:
        """Return the names of all graphs that the array is in."""
        if self._ids is not None:
            return self._ids
        return frozenset([_graphs.default_id()] if self._v.requires_grad else ())

    def _is_connected(self) -> bool:
        """Return whether the array is in any graph."""
        return self._v.requires_grad

    def require_grad(self, backprop_id: BackpropId | None = None) -> ndarray:
        """Add the array to a graph, and keep its gradient.

        Returns
        -------
        ndarray
            The array itself.
        """
        backprop_id = _graphs.resolve(backprop_id)
        ids = self._all_graphs()
        if backprop_id not in ids:
            if self.dtype.kind != 'f':
                raise _errors.DtypeError(
                    'only arrays of floats have gradients, not %s' % (self.dtype,))
            if not self._v.requires_grad:
                self._v = _new_variable(self._v.raw_array)
            ids |= {backprop_id}
            if ids != {_graphs.default_id()}:
                self._ids = ids
        node = self._v.node
        if node.creator_node is not None:
            node._backprop_keeps = node.__dict__.get(
                '_backprop_keeps', frozenset()) | {backprop_id}
            inner_nodes.add(node)
        elif self._ids is not None:
            node._backprop_ids = self._ids
        if self._required is None:
            self._required = set()
        self._required.add(backprop_id)
        return self

    def is_grad_required(self, backprop_id: BackpropId | None = None) -> bool:
        """Return whether the array keeps the gradient of a graph."""
        backprop_id = _graphs.resolve(backprop_id)
        if self._required is not None and backprop_id in self._required:
            return True
        # grad() may have set one.
        if backprop_id is _graphs.default_id():
            return self._v._grad is not None
        return self._v.node.__dict__.get('_backprop_grads', {}).get(
            backprop_id) is not None

    def is_backprop_required(
            self, backprop_id: BackpropId | _graphs.AnyGraph | None = None) -> bool:
        """Return whether the array is in a graph, or in any graph, that is active."""
        if backprop_id is _graphs.anygraph:
            return any([_graphs.is_on(each) for each in self._all_graphs()])
        backprop_id = _graphs.resolve(backprop_id)
        return backprop_id in self._all_graphs() and _graphs.is_on(backprop_id)

    def _is_chained(self) -> bool:
        """Return whether an operation of the default graph made the array."""
        if _graphs.default_id() not in self._all_graphs():
            raise _errors.ChainerxError('the array is not in the default graph')
        return self._v.creator_node is not None

    def _gradients(self, backprop_id):
        """Check that the array keeps the gradient of a graph; return its name."""
        backprop_id = _graphs.resolve(backprop_id)
        if not self.is_grad_required(backprop_id):
            raise _errors.ChainerxError(
                'the array keeps no gradient of the graph %r: call require_grad first'
                % (backprop_id,))
        return backprop_id

    def get_grad(self, backprop_id: BackpropId | None = None) -> ndarray | None:
        """Return the gradient of a graph, the same object each time.

        Raises
        ------
        ChainerxError
            If the array does not keep the gradient of that graph.
        """
        backprop_id = self._gradients(backprop_id)
        if backprop_id is not _graphs.default_id():
            found = _others(self._v.node).get(backprop_id)
            if found is not None:
                # Backpropagation wraps gradients in arrays of the outputs' device.
                found._device = self._device
            return found
        if self._v._grad is None:
            return None
        grad = self._v._grad_var
        if grad is None:
            grad = self._v._grad_var = _new_variable(self._v._grad, requires_grad=False)
        if self._grad is None or self._grad._v is not grad:
            self._grad = as_array(grad, self._device)
        return self._grad

    def set_grad(
            self, grad: ndarray | None, backprop_id: BackpropId | None = None) -> None:
        """Set the gradient of a graph; None clears it.

        Raises
        ------
        GradientError
            If the shape, dtype or device differs from that of the array.
        """
        backprop_id = _graphs.resolve(backprop_id)
        if backprop_id not in self._all_graphs():
            raise _errors.ChainerxError(
                'the array is not in the graph %r: call require_grad first'
                % (backprop_id,))
        if grad is not None:
            self._check_gradient(grad)
            self.require_grad(backprop_id)
        if backprop_id is not _graphs.default_id():
            _others(self._v.node)[backprop_id] = grad
            return
        self._grad = grad
        self._v._set_grad_var_without_check(None if grad is None else grad._v)

    def _check_gradient(self, grad):
        for name in 'shape', 'dtype', 'device':
            own, other = getattr(self, name), getattr(grad, name)
            if own != other:
                raise _errors.GradientError(
                    'the %s of the gradient is %s, but that of the array is %s'
                    % (name, other, own))

    def cleargrad(self, backprop_id: BackpropId | None = None) -> None:
        """Clear the gradient of a graph."""
        self.set_grad(None, self._gradients(backprop_id))

    @property
    def grad(self) -> ndarray | None:
        """Gradient of the default graph; None if it is cleared."""
        return self.get_grad()

    @grad.setter
    def grad(self, grad: ndarray | None) -> None:
        self.set_grad(grad)


def _others(node):
    """Return the gradients of other graphs than the default one, by name."""
    if '_backprop_grads' not in node.__dict__:
        node._backprop_grads = {}
    return node._backprop_grads


wrap, plain = graph.array_around, graph.plain_array


def as_array(variable: Variable, device: Device) -> ndarray:
    """Return an array that wraps a variable, in the graphs on which it depends."""
    if not _contexts.BackpropId.several:
        return wrap(variable, device)
    ids = _graphs.reached(variable)
    return wrap(
        variable, device, ids if ids - {_graphs.default_id()} else None)


def method(routine: Callable[..., Any]) -> Callable[..., Any]:
    """Also make a routine whose first parameter is an array a method of arrays."""
    setattr(ndarray, routine.__name__, routine)
    return routine
