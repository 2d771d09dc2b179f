"""Parameters: variables that an optimizer updates."""
import copy

import numpy

from chainer_fast import _toplevel, backend, initializers
from chainer_fast.initializers import constant
from chainer_fast.variable import Variable


def _recover_parameter(data, name, grad, grad_valid, initializer, update_rule, device,
                       layout=None):
    """Make a parameter from what its pickle holds, those of Chainer 7 included."""
    parameter = Parameter(initializer=initializer, name=name, layout=layout)
    if data is not None:
        parameter._set_array(data, layout_check=False)
    parameter._set_grad_without_check(grad)
    parameter._grad_valid = grad_valid
    parameter.update_rule = update_rule
    parameter.to_device(device)
    return parameter


class Parameter(Variable):
    """A variable that an optimizer updates; its shape may be set later.

    Parameters
    ----------
    initializer : Initializer, scalar, array or None
        How to fill the array. An array without ``shape`` becomes the data itself. None
        fills with NaN.
    shape : int or tuple of int, optional
        Without it, the parameter is uninitialized until :meth:`initialize`.
    name : str, optional
        A name for people.
    layout : optional
        Memory layout of the array.

    Attributes
    ----------
    initializer
        What the array is or was filled by.
    update_rule : UpdateRule or None
        How an optimizer updates this parameter.
    """

    initializer = None
    # None once the gradient of an uninitialized parameter has been cleared.
    _grad_initializer = None
    _initial_device = None

    def __init__(self, initializer=None, shape=None, name=None, *, layout=None):
        if initializer is None:
            initializer = constant.NaN()
        elif numpy.isscalar(initializer):
            initializer = constant.Constant(initializer)
        self.update_rule = None
        self._initial_device = backend.CpuDevice()
        if shape is None:
            if isinstance(initializer, _toplevel.get_array_types()):
                super().__init__(initializer, name=name, layout=layout)
                self._initial_device = backend.get_device_from_array(initializer)
            else:
                super().__init__(name=name, _grad_valid=False, layout=layout)
                dtype = getattr(initializer, 'dtype', None)
                self._grad_initializer = constant.NaN(dtype)
        else:
            if isinstance(initializer, _toplevel.get_array_types()):
                self._initial_device = backend.get_device_from_array(initializer)
                initializer = constant.Constant(initializer)
            device = self._initial_device
            data = initializers.generate_array(
                initializer, shape, device.xp, device=device)
            super().__init__(
                data, name=name, grad=device.xp.full_like(data, numpy.nan),
                layout=layout)
        self.initializer = initializer

    def __reduce__(self):
        args = (self.raw_array, self.name, self._grad, self._grad_valid,
                self.initializer, self.update_rule, self.device)
        if self._layout is not None:
            args += (self._layout,)
        return _recover_parameter, args

    def __deepcopy__(self, memo):
        recover, args = self.__reduce__()
        copied = recover(*copy.deepcopy(args, memo))
        copied._requires_grad = self._requires_grad
        memo[id(self)] = copied
        return copied

    @property
    def is_initialized(self):
        """Whether there is an array."""
        return self.raw_array is not None

    @property
    def dtype(self):
        """Type of the elements; known before initialization if the initializer tells.

        Raises
        ------
        RuntimeError
            If it is not known yet.
        """
        array = self.raw_array
        if array is not None:
            return array.dtype
        if not hasattr(self.initializer, 'dtype'):
            raise RuntimeError(
                'The dtype of an uninitialized parameter is not determined: give its '
                'initializer a dtype, or call initialize first.')
        # Of an initializer that leaves it open, NumPy's default.
        return numpy.dtype(self.initializer.dtype)

    def _to_device(self, device, allow_unchaining):
        self._initial_device = device
        super()._to_device(device, allow_unchaining)

    def cleargrad(self):
        """Set the gradient to None, also that of a parameter to be initialized."""
        super().cleargrad()
        self._grad_initializer = None

    def zerograd(self):
        """Fill the gradient with zeros.

        .. deprecated:: Chainer 1.15
            :meth:`cleargrad` is cheaper.
        """
        super().zerograd()
        if self.raw_array is None:
            dtype = getattr(self.initializer, 'dtype', None)
            self._grad_initializer = constant.Zero(dtype)
            self._grad_valid = True

    def initialize(self, shape):
        """Make and fill the array and, unless it is cleared, the gradient.

        Parameters
        ----------
        shape : int or tuple of int
            Shape of the array, as it is in the standard layout.
        """
        device = self._initial_device
        data = device.send(initializers.generate_array(
            self.initializer, shape, numpy, device=backend.CpuDevice()))
        grad = None
        if self._grad_initializer is not None:
            grad = device.send(initializers.generate_array(
                self._grad_initializer, shape, numpy, dtype=data.dtype,
                device=backend.CpuDevice()))
        if self._layout is not None:
            from chainer_fast.memory_layouts import _transpose_array
            data = _transpose_array(data, None, self._layout)
            if grad is not None:
                grad = _transpose_array(grad, None, self._layout)
        self._set_array(data, layout_check=False)
        self._set_grad_without_check(grad)
        self._cached_device = device

    def update(self):
        """Have the update rule, if there is one, update the array."""
        if self.update_rule is not None:
            self.update_rule.update(self)


# Pickles and texts name the module that users import.
Parameter.__module__ = _recover_parameter.__module__ = 'chainer_fast.variable'
