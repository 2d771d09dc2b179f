"""Parameters and other arrays of links that share memory with tensors of modules."""
import weakref
from typing import Any

import torch

from chainer_fast import initializer, variable
from chainer_fast.interop.torch._arrays import as_array, as_tensor

# Pairs by the id of their parameter and of their tensor, which they keep alive.
_pairs = weakref.WeakValueDictionary()


def pair_of(one):
    """Return the pair that a parameter or a tensor belongs to, or None."""
    return _pairs.get(id(one))


def pair_of_parameter(parameter):
    """Return the pair of a Chainer parameter; create one if there is none."""
    pair = pair_of(parameter)
    if pair is None:
        if parameter.is_initialized:
            tensor = torch.nn.Parameter(as_tensor(parameter.array))
        else:
            tensor = torch.nn.UninitializedParameter()
        pair = Pair(parameter, tensor)
    return pair


def pair_of_tensor(tensor):
    """Return the pair of a PyTorch parameter; create one if there is none."""
    pair = pair_of(tensor)
    if pair is None:
        parameter = variable.Parameter()
        parameter.cleargrad()
        pair = Pair(parameter, tensor)
        if parameter.is_initialized:
            parameter.initializer = OfModule()
    return pair


class OfModule(initializer.Initializer):
    """The initializer of a parameter that a module has initialized."""

    def __call__(self, array):
        raise NotImplementedError(
            'the parameters of a PyTorch module cannot be initialized again: use '
            'mode="copy", or create another module')


def check_tensor(module, key, pair):
    """Check that a parameter of a module is still that of a pair.

    Raises
    ------
    RuntimeError
        If it has been replaced.
    """
    if module._parameters.get(key) is not pair.tensor:
        raise RuntimeError(
            'the parameter %s of %s was replaced by another tensor, as parametrize, '
            'functional_call, DataParallel and load_state_dict(assign=True) do: '
            'parameters that Chainer shares must not be replaced, or must be replaced '
            'before they are shared'
            % (key, type(module).__name__))


class _Shared:
    """An array that shares memory with a tensor.

    Subclasses define the attributes ``array`` and ``tensor``; either may be assigned
    another value at any time.
    """

    array: Any
    tensor: Any
    _array = _place = None

    def share(self):
        """Let both sides use the same memory, that of the side that has changed."""
        if _is_missing(self.tensor) and self.array is None:
            return
        if self.array is not self._array or _is_missing(self.tensor):
            self._give_tensor(self.array)
        elif _place_of(self.tensor) == self._place:
            return
        array = as_array(self.tensor)
        if _place_of(array) != _place_of(self.array):
            self.array = array
        self._array, self._place = self.array, _place_of(self.tensor)

    def _give_tensor(self, array):
        if array is not None and _place_of(array) != _place_of(self.tensor):
            # A tensor created in inference mode could never be trained.
            with torch.inference_mode(False):
                self.tensor = as_tensor(array)


def _fill(parameter, tensor):
    """Assign the memory of a tensor to a parameter; optimizers are not affected."""
    if torch.nn.parameter.is_lazy(parameter):
        parameter.materialize(tensor.shape, tensor.device, tensor.dtype)
    parameter.data = tensor


def _is_missing(tensor):
    return tensor is None or torch.nn.parameter.is_lazy(tensor)


def _place_of(x):
    """Return a key by which two arrays or tensors with the same memory are equal."""
    if x is None or isinstance(x, torch.Tensor) and _is_missing(x):
        return None
    if isinstance(x, torch.Tensor):
        strides = [stride * x.element_size() for stride in x.stride()]
        return (x.data_ptr(), tuple(x.shape), tuple(strides),
                str(x.dtype).partition('.')[2])
    pointer = x.ctypes.data if hasattr(x, 'ctypes') else x.data.ptr
    return pointer, x.shape, x.strides, x.dtype.name


class Pair(_Shared):
    """A Chainer parameter and a PyTorch parameter that share memory.

    After a backward pass of PyTorch, the gradient of the parameter is that of the
    tensor; clearing either of them clears both.

    Parameters
    ----------
    parameter : chainer_fast.Parameter
    tensor : torch.nn.Parameter
    """

    def __init__(self, parameter, tensor):
        self.parameter, self._tensor = parameter, tensor
        # The last gradient that both shared.
        self._grad = None
        self._has_hooks = False
        _pairs[id(parameter)] = _pairs[id(tensor)] = self
        self.share()

    @property
    def array(self):
        return self.parameter.array

    @array.setter
    def array(self, array):
        self._grad = None
        self.parameter.cleargrad()      # of another dtype, perhaps
        self.parameter.array = array

    @property
    def tensor(self):
        return self._tensor

    @tensor.setter
    def tensor(self, tensor):
        _fill(self._tensor, tensor)

    def share(self):
        super().share()
        if not self._has_hooks and self._tensor.requires_grad and not _is_missing(
                self._tensor):
            self._has_hooks = True
            pair = weakref.ref(self)
            self._tensor.register_hook(lambda grad: _call(pair, Pair._before_grad))
            self._tensor.register_post_accumulate_grad_hook(
                lambda tensor: _call(pair, Pair._after_grad))

    def share_grad(self):
        """Set the gradient of the tensor to that of the parameter."""
        grad = self.parameter.grad if self.parameter.is_initialized else None
        self._tensor.grad = None if grad is None else as_tensor(grad)
        self._grad = grad

    def _before_grad(self):
        if self._grad is None:
            return
        grad = self.parameter.grad
        if grad is None:
            self._tensor.grad = None
        elif self._tensor.grad is not None and grad is not self._grad:
            # Chainer has added to it since then, not in place.
            self.share_grad()

    def _after_grad(self):
        self.parameter.grad = self._grad = as_array(self._tensor.grad)


def _call(reference, method):
    pair = reference()
    if pair is not None:
        method(pair)


class Persistent(_Shared):
    """A persistent array of a link and a tensor of a module that share memory.

    Parameters
    ----------
    link : chainer_fast.Link
    name : str
        Name of the attribute.
    module : torch.nn.Module
    key : str
        Name of a buffer, or of a parameter that is not trained.
    """

    def __init__(self, link, name, module, key):
        self._link, self._name, self._module, self._key = link, name, module, key
        self.share()

    @property
    def array(self):
        return self._link.__dict__[self._name]

    @array.setter
    def array(self, array):
        self._link.__dict__[self._name] = array

    @property
    def tensor(self):
        parameter = self._module._parameters.get(self._key)
        return self._module._buffers[self._key] if parameter is None else parameter

    @tensor.setter
    def tensor(self, tensor):
        parameter = self._module._parameters.get(self._key)
        if parameter is None:
            self._module._buffers[self._key] = tensor
        else:
            _fill(parameter, tensor)
