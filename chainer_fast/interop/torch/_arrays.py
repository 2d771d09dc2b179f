"""Arrays of NumPy or CuPy and PyTorch tensors that share memory."""
import numpy
import torch

from chainer_fast import variable


def as_tensor(array):
    """Return a tensor that shares the memory of an array.

    An array that PyTorch does not support, because it is read-only or has negative
    strides, is copied.
    """
    if not isinstance(array, numpy.ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable or any(stride < 0 for stride in array.strides):
        array = array.copy()
    return torch.from_numpy(array)


def as_array(tensor):
    """Return an array that shares the memory of a tensor, detached from its graph.

    Raises
    ------
    TypeError
        If NumPy and CuPy do not support its layout or dtype.
    """
    tensor = tensor.detach()
    if tensor.layout != torch.strided:
        raise TypeError(
            'a tensor of the layout %s has no array: call its method to_dense, or make '
            'its module compute dense gradients (sparse=False)' % tensor.layout)
    if tensor.dtype == torch.bfloat16:
        raise TypeError(
            'NumPy and CuPy have no dtype bfloat16: convert the tensor with its '
            'method float first, or the module')
    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.device.type == 'cpu':
        return tensor.numpy()
    return variable.from_dlpack(tensor).array


def array_of(var):
    """Return the array of a variable.

    Raises
    ------
    ValueError
        If it is a parameter without an array.
    """
    if var.array is None:
        raise ValueError(
            'the parameter %s is not initialized: call its link once, or its method '
            'initialize, first' % (var.name or 'without a name'))
    return var.array
