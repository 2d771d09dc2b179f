"""Variables: arrays that remember how they were computed."""
from __future__ import annotations

import copy
import warnings
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from chainer_fast import backend, initializers
from chainer_fast._backend import Device
from chainer_fast._core.backward import backprop as _backprop_core
from chainer_fast._core.backward import backprop, grad_check
from chainer_fast._core import kinds
from chainer_fast._core.graphs.graph import VariableBase, VariableNodeBase
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda, layouts
from chainer_fast.backends.arrays import get_array_types, is_arrays_compatible
from chainer_fast.initializers import constant
from chainer_fast.types import InitializerSpec, NdArray, Xp
from chainer_fast.variable import _bound, _dlpack, _moves, _text
from chainer_fast.variable._text import variable_repr, variable_str

if TYPE_CHECKING:
    from chainer_fast.function import Function
    from chainer_fast.function_node import FunctionNode
    from chainer_fast.optimizer import UpdateRule

__all__ = [
    'GradOutputs', 'Parameter', 'Variable', 'VariableNode', 'VariableOrArray',
    'as_array', 'as_variable', 'from_dlpack', 'variable_repr', 'variable_str']


def as_variable(obj: VariableOrArray) -> Variable:
    """Return ``obj`` as a variable.

    Parameters
    ----------
    obj : array or Variable
        An array or a variable. A variable is returned unchanged.

    Returns
    -------
    Variable
        The variable. One that is created from an array requires no gradient.

    See Also
    --------
    chainer_fast.as_array

    Examples
    --------
    >>> x = chainer.as_variable(np.ones(2, np.float32))
    >>> x.requires_grad, chainer.as_variable(x) is x
    (False, True)
    """
    if isinstance(obj, Variable):
        return obj
    return Variable(obj, requires_grad=False)


def as_array(obj: VariableOrArray) -> NdArray:
    """Return the array of a variable; an array is returned unchanged.

    Parameters
    ----------
    obj : array or Variable
        An array, or a variable that holds one.

    Returns
    -------
    array
        The array itself, not a copy.

    See Also
    --------
    chainer_fast.as_variable

    Examples
    --------
    >>> x = np.ones(2, np.float32)
    >>> chainer.as_array(chainer.Variable(x)) is x
    True
    """
    if isinstance(obj, Variable):
        return obj.array
    return obj


def from_dlpack(x: Any) -> Variable:
    """Return a variable around an array of another library, without copying it.

    Parameters
    ----------
    x : object
        An array with the methods ``__dlpack__`` and ``__dlpack_device__``: a tensor of
        PyTorch, an array of JAX, CuPy or NumPy, a variable.

    Returns
    -------
    Variable
        It requires no gradient and shares its memory with ``x``: a change of one also
        changes the other. Its array is a NumPy array if ``x`` is in host memory, and a
        CuPy array if ``x`` is on a GPU. The array is read-only if ``x`` is, as JAX
        arrays are, or if the library of ``x`` is too old to report whether it is.

    Raises
    ------
    TypeError
        If ``x`` lacks the methods.
    BufferError
        If neither NumPy nor CuPy supports its device or its dtype (such as bfloat16),
        or if its library refuses to share it: PyTorch tensors that require a gradient
        must be detached first.

    See Also
    --------
    chainer_fast.interop.torch.from_torch : keeps the graph of a tensor.

    Examples
    --------
    >>> array = np.zeros(2, np.float32)
    >>> x = chainer.from_dlpack(array)
    >>> array[0] = 3
    >>> x
    variable([3., 0.])
    """
    return Variable(_dlpack.import_array(x), requires_grad=False)


def _check_grad_type(func, x, is_node_x, gx):
    """Check an array that becomes a gradient; libraries built on Chainer call this.

    Parameters
    ----------
    func : FunctionNode or None
        The function that computed the gradient, for the message.
    x : Variable or VariableNode
        Variable or node of the gradient. If it has no data yet, any array is accepted.
    is_node_x : bool
        Whether ``x`` is a node.
    gx : array
        The gradient.

    Raises
    ------
    TypeError
        If ``gx`` is not an array, or its type or dtype differs from that of the data.
    ValueError
        If its shape differs from that of the data.
    """
    if not isinstance(gx, get_array_types()):
        raise TypeError('a gradient must be an array (%s), not %s' % (
            ' or '.join(kind.__name__ for kind in get_array_types()), type(gx)))
    grad_check.check_gradient(func, x if is_node_x else x.node, gx)


class VariableNode(VariableNodeBase):
    """Node of a variable in the computational graph.

    The graph consists of nodes instead of variables, so that the array of a variable
    can be released, while the graph exists, if no function needs it. A node records the
    type and the shape of the array, the function that computed it, and its rank.

    Parameters
    ----------
    variable : Variable
        The variable that the node represents.
    name : str or None
        Its name.

    Raises
    ------
    ValueError
        If ``grad`` is given, which only old versions accepted.
    TypeError
        If any other keyword is given.
    """

    name: str | None = None
    _old_style_grad_generator = None
    _layout = None

    def __init__(self, variable: Variable, name: str | None, **kwargs: Any) -> None:
        if 'grad' in kwargs:
            raise ValueError(
                'unexpected keyword argument "grad": pass the gradient to Variable '
                'instead')
        if kwargs:
            raise TypeError(
                '__init__() got unexpected keyword argument(s) %s'
                % ', '.join(repr(key) for key in sorted(kwargs)))
        self._requires_grad = variable.requires_grad
        self._update_data_info(variable.raw_array)
        variable._node = self
        self.name = name

    @property
    def creator(self) -> FunctionNode | Function | None:
        """The function that computed the variable, or None.

        For an old-style function, this is its :class:`~chainer_fast.Function` object.
        """
        node = self.creator_node
        return getattr(node, '_old_style_function', node)

    @creator.setter
    def creator(self, function: Any) -> None:
        self.set_creator(function)

    def set_creator(self, creator: Function | FunctionNode | None) -> None:
        """Set the function that computed the variable.

        Parameters
        ----------
        creator : Function, FunctionNode or None
            A function node, or an old-style function, whose node is used.
        """
        if isinstance(creator, _bound.Function):
            creator = creator.node
        self.creator_node: Any = creator

    def set_creator_node(self, creator_node: FunctionNode | None) -> None:
        """Set the function that computed the variable, and update the rank.

        Parameters
        ----------
        creator_node : FunctionNode or None
            The function.
        """
        self.creator_node = creator_node

    @property
    def _variable(self) -> Any:
        variable = self.get_variable_or_none()
        return _gone if variable is None else weakref.ref(variable)

    @property
    def grad(self) -> NdArray | None:
        """Gradient array; None if there is none or the variable has been released."""
        variable = self.get_variable_or_none()
        return None if variable is None else variable.grad

    @property
    def grad_var(self) -> Variable | None:
        """Gradient variable; None if there is none or the variable is released."""
        variable = self.get_variable_or_none()
        return None if variable is None else variable.grad_var

    def _set_grad_var_if_available(self, grad_var: Variable | None) -> None:
        variable = self.get_variable_or_none()
        if variable is not None:
            variable._set_grad_var_without_check(grad_var)

    def retain_data(self) -> None:
        """Keep the array of the variable as long as the node exists.

        Raises
        ------
        RuntimeError
            If the variable has been released already.
        """
        variable = self.get_variable_or_none()
        if variable is None:
            raise RuntimeError(
                'cannot retain the array of a released variable: keep the variable '
                'until retain_data has been called')
        self._data = variable.raw_array

    @property
    def label(self) -> str:
        """Shape and dtype, for graphs that are drawn without names."""
        text = str(self.dtype)
        lengths = [str(length) for length in self.shape]
        return '(%s), %s' % (', '.join(lengths), text) if lengths else text

    def _check_old_style_gradient(self):
        backprop.check_old_style(self)


# A reference to an object that no longer exists.
_gone: Any = weakref.ref(set())


def _create_variable(data, name, grad, requires_grad, device=None):
    """Create a variable from its pickled values, without a device up to Chainer 5."""
    var = Variable(data, name=name, grad=grad, requires_grad=requires_grad)
    if device is not None:
        var.to_device(device)
    return var


class _Held(list[Any]):
    """A list with the array of a variable, which is where Chainer stores it.

    When a program stores another array in the list, the variable gets that array.
    """

    def __init__(self, var: Variable) -> None:
        super().__init__([var.raw_array])
        self._var = var

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._var.array, = self


class Variable(VariableBase, _moves.Movable):
    """An array that records how it was computed.

    Functions accept variables and return variables that refer to them. Calling
    :meth:`backward` of a result computes the gradients of all variables that it was
    computed from and stores them in :attr:`grad`.

    Parameters
    ----------
    data : numpy.ndarray, cupy.ndarray or None
        The array; it is not copied. None creates an uninitialized variable.
    name : str, optional
        Name for display.
    grad : array, optional
        Initial gradient, of the same dtype and shape as ``data``.
    requires_grad : bool
        Whether to compute the gradient of this variable in backpropagation.
    layout : optional
        Memory layout of the array.

    Attributes
    ----------
    array : numpy.ndarray, cupy.ndarray or None
        The array.
    grad : array or None
        The gradient.
    grad_var : Variable or None
        The gradient as a variable, which can be differentiated.
    creator : FunctionNode or None
        The function that computed the variable.

    Raises
    ------
    TypeError
        If ``data`` is not an array, or a keyword is unknown.
    ValueError
        If ``volatile`` is given, which Chainer no longer supports.

    See Also
    --------
    chainer_fast.Parameter
    chainer_fast.grad

    Examples
    --------
    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> y = F.sum(x ** 2)
    >>> y.backward()
    >>> x.grad
    array([2., 4.], dtype=float32)

    Twice:

    >>> x.cleargrad()
    >>> y = F.sum(x ** 3)
    >>> y.backward(enable_double_backprop=True)
    >>> gx = x.grad_var
    >>> x.cleargrad()
    >>> F.sum(gx).backward()
    >>> x.grad
    array([ 6., 12.], dtype=float32)
    """

    # With this, NumPy leaves ``array + variable`` to the variable.
    __array_priority__ = 200

    _chainerx_name = None
    _has_chainerx_array = VariableBase._has_wrapper     # Chainer's name

    @classmethod
    def _init_unchecked(cls, data=None, device=None, name=None, grad=None,
                        grad_valid=True, requires_grad=True, is_chainerx_array=None,
                        node=None, layout=None):
        """Create a variable from an array that is known to be valid."""
        var = cls.__new__(cls)
        VariableBase.__init__(
            var, data, name=name, requires_grad=requires_grad, _grad_valid=grad_valid,
            layout=layout)
        var._cached_device = device
        if grad is not None:
            var._set_grad_without_check(grad)
            var._grad_valid = grad_valid
        if node is not None:
            var._node = node
        return var

    # Functions set `__abs__` and `__getitem__`, which makes variables iterable.
    if TYPE_CHECKING:
        def __abs__(self) -> Variable: ...
        def __getitem__(self, slices: Any) -> Variable: ...
        def __iter__(self) -> Iterator[Variable]: ...

    def __copy__(self) -> Variable:
        return self._copy_to(type(self).__new__(type(self)))

    def _copy_to(self, target):
        VariableBase.__init__(
            target, self.raw_array, name=self.name, requires_grad=self._requires_grad,
            _grad_valid=self._grad_valid, layout=self._layout)
        target.__dict__.update(self.__dict__)
        target._cached_device = self._cached_device
        target._loss_scale = self._loss_scale
        if not self._has_wrapper:    # The array keeps its gradient.
            target._grad = self._grad
            target._grad_var = self._grad_var
        self._share_array(target)
        return target

    def _plain(self):
        """Return a variable of the NumPy or CuPy array inside a ChainerX array.

        Its gradient is that of the ChainerX array. Other variables are returned
        unchanged.
        """
        return self.raw_array._v if self._has_wrapper else self

    def _to_keep(self):
        """Return the array and the gradient for a pickle."""
        if self._has_wrapper:
            return self.array, self.grad
        return self.raw_array, self._grad

    def __reduce__(self) -> tuple[Any, ...]:
        array, grad = self._to_keep()
        args = array, self.name, grad, self._requires_grad, self.device
        return _create_variable, args

    def __repr__(self) -> str:
        return variable_repr(self)

    def __str__(self) -> str:
        return variable_str(self)

    def __nonzero__(self) -> bool:
        return self.__bool__()

    def __dlpack__(
            self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
            dl_device: tuple[int, int] | None = None,
            copy: bool | None = None) -> Any:
        """Share the array with another library by the protocol DLPack.

        ``torch.from_dlpack(x)``, ``jax.numpy.from_dlpack(x)`` and
        ``cupy.from_dlpack(x)`` call this. Their result shares its memory with
        :attr:`array` and is detached from the graph, even if the variable requires a
        gradient.

        Parameters
        ----------
        stream, max_version, dl_device, copy
            As defined by the array API of 2023.

        Raises
        ------
        BufferError
            If a parameter is not initialized; if the array is not on the requested
            device, except that an array on a GPU is copied to the processor; if it has
            negative strides; or if it is read-only and the other library does not
            support read-only arrays.

        See Also
        --------
        chainer_fast.interop.torch.to_torch : keeps the graph of a variable.
        """
        return _dlpack.export(
            _dlpack.array_to_share(self), stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the device of the array as DLPack's pair of type and number."""
        return _dlpack.array_to_share(self).__dlpack_device__()

    @property
    def xp(self) -> Xp:
        """The array module: :mod:`numpy` or :mod:`cupy`."""
        return self.device.xp

    @property
    def device(self) -> Device:
        """The device that the array is on, a :class:`chainer_fast.backend.Device`."""
        device = self._cached_device
        if device is None:
            array = self.raw_array
            if array is None:
                device = backend.CpuDevice()
            else:
                device = backend.get_device_from_array(array)
            self._cached_device = device
        return device

    @property
    def layout(self) -> str | None:
        """The memory layout; None for the standard one."""
        return self._layout

    @property
    def chx_array(self) -> Any:
        """A view of the ChainerX array, connected to its graphs.

        Raises
        ------
        ValueError
            If the array is not a ChainerX array.
        """
        if not self._has_wrapper:
            raise ValueError(
                'chx_array is not available for Variable with non-ChainerX array.')
        return kinds.of_wrappers.view_of(self)

    @property
    def label(self) -> str:
        """Shape and dtype, for graphs that are drawn without names."""
        return self.node.label

    def _refuse_layout(self):
        raise RuntimeError(
            'Cannot directly retrieve the underlying array from a variable with '
            'non-standard layout (%s): use as_layout(None) first.' % (self._layout,))

    def _semantic_shape(self):
        return layouts.get_semantic_shape(self)

    @property
    def _data(self) -> list[Any]:
        return _Held(self)

    @_data.setter
    def _data(self, arrays: list[Any]) -> None:
        _Held(self)[:] = arrays

    @property
    def T(self) -> Variable:
        """The variable with its axes reversed, as a function of the graph."""
        return self.transpose()

    def summary(self) -> str:
        """Return a short text: the name, or the memory address if there is no name.

        Returns
        -------
        str
            The text.
        """
        if self.name:
            return '<variable %s>' % self.name
        return '<variable at 0x%x>' % id(self)

    def debug_print(self) -> str:
        """Return several lines on the device, type and statistics of the variable.

        Returns
        -------
        str
            The lines.
        """
        return _text.describe(self)

    def as_layout(self, layout: Any) -> Variable:
        """Return the variable in another memory layout, as a function of the graph.

        Parameters
        ----------
        layout : chainer_fast.memory_layouts or None
            The layout; None for the standard one.

        Returns
        -------
        Variable
            The variable in that layout: the variable itself if it already has it.
        """
        if self._layout == layout:
            return self
        y, = _bound.AsLayout(layout).apply((self,))
        return y

    # -- gradients

    def _check_grad_array(self, grad: Any) -> None:
        """Raise an error if a gradient's type, dtype or shape is not the data's."""
        kinds = get_array_types()
        if grad is not None and not isinstance(grad, kinds):
            raise TypeError(
                'Type of grad is invalid:\nExpected: %s\nActual: %s'
                % (' or '.join(str(kind) for kind in kinds), type(grad)))
        array = self.raw_array
        if grad is None or array is None:
            return
        alike = is_arrays_compatible([grad, array])
        error = grad_check.mismatch(
            grad, array.dtype, array.shape, None if alike else type(array))
        if error is not None:
            raise error

    def zerograd(self) -> None:
        """Fill the gradient with zeros.

        .. deprecated:: Chainer 1.15
            :meth:`cleargrad` is cheaper.
        """
        warnings.warn(
            'Variable.zerograd is deprecated. Use Variable.cleargrad instead.',
            DeprecationWarning)
        array = self.raw_array
        if array is None:
            return
        with cuda.get_device_from_array(array):
            if self._has_wrapper and self.grad is not None:
                grad: Any = self.grad_var
                grad.raw_array.fill(0)
                return
            if self._grad is None:
                self._set_grad_without_check(self.xp.zeros_like(array))
                return
            if self._grad_var is not None:
                self._grad_var.unchain()
            self._grad.fill(0)

    def copydata(self, var: Variable) -> None:
        """Copy the array of another variable into this variable's array.

        Parameters
        ----------
        var : Variable
            Source; it may be on another device. If one of the two is an uninitialized
            parameter, it is initialized with the shape of the other; if both are,
            nothing happens.

        Raises
        ------
        ValueError
            If the shapes differ.
        """
        source = var.raw_array
        # Only a parameter can lack an array.
        if self.raw_array is None:
            if source is None:
                return
            self.initialize(source.shape)  # type: ignore[attr-defined]
        elif source is None:
            var.initialize(self.shape)  # type: ignore[attr-defined]
            source = var.raw_array
        backend.copyto(self.array, var.array)

    def addgrad(self, var: Variable) -> None:
        """Add the gradient of another variable to this one's.

        Parameters
        ----------
        var : Variable
            Source; it may be on another device. Nothing happens if it has no gradient.
        """
        if var._has_wrapper != self._has_wrapper and (
                self.raw_array is not None):
            raise RuntimeError(
                'addgrad cannot add ChainerX arrays and other arrays')
        if var.grad is None:   # an error if the variable was never initialized
            return
        other: Any = var.grad_var
        if self.raw_array is None:  # so it is a parameter
            self.initialize(var.shape)  # type: ignore[attr-defined]
        if var.device != self.device:
            other = Variable(self.device.send(other.array), requires_grad=False)
        own = self.grad_var
        self.grad_var: Variable | None = other if own is None else own + other

    # -- the graph

    @property
    def creator(self) -> FunctionNode | Function | None:
        """The function that computed the variable, or None.

        For an old-style function, this is its :class:`~chainer_fast.Function` object.
        """
        return self.node.creator

    @creator.setter
    def creator(self, function: Any) -> None:
        self.node.creator = function

    def retain_data(self) -> None:
        """Let the node keep the array as long as the graph exists."""
        self.node.retain_data()

    def unchain(self) -> None:
        """Remove the reference to the function that computed the variable."""
        self.node.unchain()

    def set_creator(self, gen_func: Function | FunctionNode | None) -> None:
        """Set the function that computed the variable.

        Parameters
        ----------
        gen_func : Function, FunctionNode or None
            The function.
        """
        self.node.set_creator(gen_func)

    def set_creator_node(self, fnode: FunctionNode | None) -> None:
        """Set the function node that computed the variable.

        Parameters
        ----------
        fnode : FunctionNode or None
            The function.
        """
        self.node.set_creator_node(fnode)

    def unchain_backward(self) -> None:
        """Remove every reference to the graph behind this variable to release it."""
        functions = [self.creator_node]
        seen = set()
        while functions:
            function = functions.pop()
            if function is None or function in seen:
                continue
            seen.add(function)
            functions.extend(node.creator_node for node in function.inputs or ())
            function.unchain()

    def backward(
            self, retain_grad: bool = False, enable_double_backprop: bool = False,
            loss_scale: float | None = None) -> None:
        """Compute the gradients of all variables that this one was computed from.

        Gradients are added to the existing gradients of leaves; clear those first. A
        scalar without a gradient starts from a gradient of one (or of ``loss_scale``);
        for other variables, set :attr:`grad` first.

        Parameters
        ----------
        retain_grad : bool
            Whether intermediate variables keep their gradients.
        enable_double_backprop : bool
            Whether the gradients can be differentiated again.
        loss_scale : float, optional
            Factor for the default gradient, used with float16; optimizers divide by it.
        """
        array = self.raw_array
        if self._has_wrapper:
            kinds.of_wrappers.backward(
                self, retain_grad, enable_double_backprop, loss_scale)
            return
        if array.size == 1 and self._grad is None:
            if array.ndim != 0:
                warnings.warn(
                    'Treating a variable with only one element as a scalar in '
                    'Variable.backward is deprecated. A scalar variable must be a '
                    '0-dimensional array. Apply chainer.functions.squeeze to obtain '
                    'one. If the size became one by accident, set zero to grad.',
                    DeprecationWarning)
            with cuda.get_device_from_array(array):
                grad = self.xp.ones_like(array)
                if loss_scale is not None:
                    grad *= loss_scale
            self._set_grad_without_check(grad)
        try:
            _backprop_core.backward_from(
                self, retain_grad, enable_double_backprop, loss_scale)
        except Exception as error:
            if array.size != 1 and self._grad is None:
                mistakes.tell(error, (
                    'backward() started at a variable of shape %s without a gradient: '
                    'start at a scalar, such as chainer.functions.sum(y), or set y.grad'
                    % (self.shape,)))
            mistakes.explain_backward(error)
            raise

    # -- functions as methods

    def reshape(self, *shape: Any) -> Variable:
        """Return the variable with another shape; see :func:`functions.reshape`."""
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        return _bound.reshape(self, shape)

    def transpose(self, *axes: Any) -> Variable:
        """Return the variable with its axes permuted; see :func:`functions.transpose`.
        """
        if len(axes) == 0:
            axes = None
        elif len(axes) == 1 and (
                axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        return _bound.transpose(self, axes)

    def mean(
            self, axis: int | tuple[int, ...] | None = None, *,
            weights: VariableOrArray | None = None, keepdims: bool = False) -> Variable:
        """Return the (weighted) mean over axes; see :func:`functions.average`."""
        return _bound.average(self, axis, weights, keepdims)

    def item(self) -> int | float:
        """Return the only element as a Python scalar.

        Returns
        -------
        int or float
            The element.

        Raises
        ------
        ValueError
            If there is not exactly one element.
        """
        return self.array.item()


#: An operand of a function.
VariableOrArray: TypeAlias = Variable | NdArray

#: Gradients of the outputs of a function. None occurs only if there are several
#: outputs.
GradOutputs: TypeAlias = tuple[Variable | Any, ...]


def _recover_parameter(data, name, grad, *rest):
    """Create a parameter from the values in its pickle, which may be of Chainer 2 to 7.

    The remaining values are ``grad_valid`` (since 7), ``initializer``, ``update_rule``,
    ``device`` (since 6) and ``layout`` (if it is not the standard one).
    """
    grad_valid, layout = data is not None, None
    if len(rest) > 3:
        grad_valid, *rest = rest
        layout = rest[3] if len(rest) > 3 else None
    initializer, update_rule, device = (*rest[:3], None)[:3]
    parameter = Parameter(initializer=initializer, name=name, layout=layout)
    if data is not None:
        parameter._hold(data)
    parameter._set_grad_without_check(grad)
    parameter._grad_valid = grad_valid
    parameter.update_rule = update_rule
    if device is None:
        device = parameter.device
    parameter.to_device(device)
    return parameter


class Parameter(Variable):
    """A variable that an optimizer updates; its shape may be set later.

    Parameters
    ----------
    initializer : Initializer, scalar, array or None
        Value or callable that fills the array. If ``shape`` is not given, an array
        becomes the data itself. None fills the array with NaN.
    shape : int or tuple of int, optional
        Shape of the array. If it is not given, the parameter is uninitialized until
        :meth:`initialize` is called.
    name : str, optional
        Name for display.
    layout : optional
        Memory layout of the array.

    Attributes
    ----------
    initializer
        The initializer of the array.
    update_rule : UpdateRule or None
        The rule that an optimizer uses to update this parameter.

    Raises
    ------
    TypeError
        If a shape is given, and the initializer is neither a scalar, an array nor a
        callable.
    ValueError
        If the initializer is an array of another shape.

    See Also
    --------
    chainer_fast.Variable
    chainer_fast.initializers

    Examples
    --------
    >>> W = chainer.Parameter(chainer.initializers.Normal(), (2, 3))
    >>> W.shape, W.is_initialized
    ((2, 3), True)

    A shape that is only known later:

    >>> b = chainer.Parameter(0)
    >>> b.is_initialized
    False
    >>> b.initialize((2,))
    >>> b.array
    array([0., 0.], dtype=float32)
    """

    initializer: Any = None
    # None once the gradient of an uninitialized parameter has been cleared.
    _grad_initializer: Any = None
    _initial_device: Any = None

    def __init__(
            self, initializer: InitializerSpec | float | NdArray | None = None,
            shape: int | Sequence[int] | None = None, name: str | None = None, *,
            layout: Any = None) -> None:
        if initializer is None:
            initializer = constant.NaN()
        elif numpy.isscalar(initializer):
            initializer = constant.Constant(initializer)
        self.update_rule: UpdateRule | None = None
        self._initial_device = backend.CpuDevice()
        if shape is None:
            if isinstance(initializer, get_array_types()):
                super().__init__(initializer, name=name, layout=layout)
                self._initial_device = backend.get_device_from_array(initializer)
            else:
                super().__init__(name=name, _grad_valid=False, layout=layout)
                dtype = getattr(initializer, 'dtype', None)
                self._grad_initializer = constant.NaN(dtype)
        else:
            if isinstance(initializer, get_array_types()):
                self._initial_device = backend.get_device_from_array(initializer)
                initializer = constant.Constant(initializer)
            device = self._initial_device
            fill: Any = initializer
            data = initializers.generate_array(
                fill, shape, device.xp, device=device)
            with numpy.errstate(invalid='ignore'):  # of integers
                grad = device.xp.full_like(data, numpy.nan)
            super().__init__(data, name=name, grad=grad, layout=layout)
        self.initializer = initializer

    def __reduce__(self) -> tuple[Any, ...]:
        array, grad = self._to_keep()
        args = (array, self.name, grad, self._grad_valid,
                self.initializer, self.update_rule, self.device)
        if self._layout is not None:
            args += (self._layout,)
        return _recover_parameter, args

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        recover, args = self.__reduce__()
        copied = recover(*copy.deepcopy(args, memo))
        copied._requires_grad = self._requires_grad
        memo[id(self)] = copied
        return copied

    @property
    def is_initialized(self) -> bool:
        """Whether the parameter has an array."""
        return self.raw_array is not None

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of the elements. Before initialization, it is that of the initializer.

        Raises
        ------
        RuntimeError
            If it is not determined yet.
        """
        array = self.raw_array
        if array is not None:
            return array.dtype
        if not hasattr(self.initializer, 'dtype'):
            raise RuntimeError(
                'The dtype of an uninitialized parameter is not determined: give its '
                'initializer a dtype, or call initialize first.')
        # If the initializer does not specify a dtype, NumPy's default is used.
        return numpy.dtype(self.initializer.dtype)

    def _to_device(self, device, allow_unchaining):
        self._initial_device = device
        # No function computes a parameter.
        super()._to_device(device, allow_unchaining=True)

    def cleargrad(self) -> None:
        """Set the gradient to None, even that of an uninitialized parameter."""
        super().cleargrad()
        self._grad_initializer = None

    def zerograd(self) -> None:
        """Fill the gradient with zeros.

        .. deprecated:: Chainer 1.15
            :meth:`cleargrad` is cheaper.
        """
        super().zerograd()
        if self.raw_array is None:
            dtype = getattr(self.initializer, 'dtype', None)
            self._grad_initializer = constant.Zero(dtype)
            self._grad_valid = True

    def initialize(self, shape: int | Sequence[int]) -> None:
        """Create and fill the array and, unless it is cleared, the gradient.

        Parameters
        ----------
        shape : int or tuple of int
            Shape of the array in the standard layout.
        """
        device, fill = self._initial_device, self.initializer
        dtype = None
        if isinstance(fill, get_array_types()):
            # Only an array, which is also the data and may have changed.
            fill, dtype = constant.Constant(backend.CpuDevice().send(fill)), fill.dtype
        data = device.send(initializers.generate_array(
            fill, shape, numpy, dtype=dtype, device=backend.CpuDevice()))
        grad = None
        if self._grad_initializer is not None:
            grad = device.send(initializers.generate_array(
                self._grad_initializer, shape, numpy, dtype=data.dtype,
                device=backend.CpuDevice()))
        if self._layout is not None:
            data = layouts._transpose_array(data, None, self._layout)
            if grad is not None:
                grad = layouts._transpose_array(grad, None, self._layout)
        self._set_array(data, layout_check=False)
        self._set_grad_without_check(grad)
        self._cached_device = device

    def update(self) -> None:
        """Update the array by the update rule, if there is one."""
        if self.update_rule is not None:
            self.update_rule.update(self)
