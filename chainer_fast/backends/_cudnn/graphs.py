"""Descriptions of computations for cuDNN."""
import functools

import numpy

from chainer_fast.backends import _image_orders
from chainer_fast.backends._cudnn import library

_TYPES = {'e': 'HALF', 'f': 'FLOAT', 'd': 'DOUBLE'}


class _Number:

    def __init__(self, value):
        self._array = numpy.array(value, 'f')
        self.ptr = self._array.ctypes.data
        self.data = self


@functools.lru_cache(1024)
def number(value):
    """Return a number in host memory, with its address as in arrays."""
    return _Number(value)


class Graph:
    """A graph of cuDNN, with names for its input and output tensors.

    Parameters
    ----------
    dtype : numpy.dtype
        Type of the tensors. Computations with float16 are in single precision.
    last : bool
        Whether the tensors have their channels last in memory.
    **options
        Further arguments of ``cudnn.pygraph``, such as the handle.

    Attributes
    ----------
    native : cudnn.pygraph
        The graph itself, which contains the operations.
    names : list of str
        Names of the tensors, which are numbered from one.
    """

    def __init__(self, dtype, last, **options):
        self._types = library.frontend().data_type
        self._dtype, self._last = dtype, last
        compute = self._type(numpy.promote_types(dtype, 'f'))
        self.native = library.frontend().pygraph(
            io_data_type=self._type(dtype), intermediate_data_type=compute,
            compute_data_type=compute, **options)
        self.names = []

    def _type(self, dtype):
        return getattr(self._types, _TYPES[dtype.char])

    def _number(self, name):
        self.names.append(name)
        return len(self.names)

    def operand(self, name, shape, dtype=None):
        """Return a new tensor."""
        return self.native.tensor(
            name=name, dim=list(shape), stride=_image_orders.strides(shape, self._last),
            data_type=self._type(dtype or self._dtype), uid=self._number(name))

    def number(self, name, ndim):
        """Return a new tensor for a number, which is in host memory."""
        return self.native.tensor(
            name=name, dim=[1] * ndim, stride=[1] * ndim, is_pass_by_value=True,
            data_type=self._types.FLOAT, uid=self._number(name))

    def result(self, tensor, name, shape, dtype=None):
        """Name a tensor that the graph computes, and make it an output."""
        tensor.set_output(True).set_data_type(self._type(dtype or self._dtype))
        tensor.set_dim(list(shape)).set_stride(_image_orders.strides(shape, self._last))
        tensor.set_uid(self._number(name))
