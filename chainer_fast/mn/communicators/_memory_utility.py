"""Packing of gradients and parameters of a model for other processes."""
import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import packing, update_rules
from chainer_fast.configuration import config


def array_to_buffer_object(array, mpi_dtype=None):
    """Return an array in the form that functions of MPI accept.

    Arrays of CuPy need a CUDA-aware MPI library. Such a library does not handle
    streams: synchronize the stream of the array first.

    Parameters
    ----------
    array : array
        A contiguous array of NumPy or CuPy.
    mpi_dtype : mpi4py.MPI.Datatype, optional
        Type of the elements; the one of the array's dtype by default.

    Returns
    -------
    tuple
        Memory and type of the elements.

    Raises
    ------
    ValueError
        If the array is not contiguous, or MPI has no type for its elements.
    """
    from mpi4py import MPI
    if not array.flags.c_contiguous:
        raise ValueError(
            'MPI needs contiguous arrays, but got shape %s with strides %s: use '
            'ascontiguousarray' % (array.shape, array.strides))
    if mpi_dtype is None:
        mpi_dtype = MPI._typedict.get(array.dtype.char, MPI.DATATYPE_NULL)
        if mpi_dtype == MPI.DATATYPE_NULL:
            raise ValueError('MPI has no type for elements of %s' % (array.dtype,))
    return MPI.buffer.fromaddress(address_of(array), array.nbytes), mpi_dtype


def address_of(array):
    """Return the address of the first element."""
    if isinstance(array, cuda.ndarray):
        return array.data.ptr
    return array.ctypes.data


class PinnedMemory:
    """Page-locked memory of the host, for fast copies to and from a GPU.

    It is kept between calls, and grows when more is requested.
    """

    def __init__(self):
        self._memory, self._nbytes = None, 0

    def array(self, size, dtype):
        """Return a flat array, which is valid until the next call."""
        nbytes = size * numpy.dtype(dtype).itemsize
        if nbytes > self._nbytes or self._memory is None:
            self._memory = cuda.cupy.cuda.alloc_pinned_memory(max(nbytes, 1))
            self._nbytes = nbytes
        return numpy.frombuffer(self._memory, dtype, size)


# -- parameters and gradients


def arrays_of(named_params):
    """Return the arrays of parameters, except those without data.

    Parameters
    ----------
    named_params : list of tuple of str and Parameter
        Result of :func:`_agreement.check_model`.
    """
    return [param._plain().raw_array for _, param in named_params
            if param.is_initialized]


def params_with_grad(named_params, zero_fill=False):
    """Return the parameters whose gradients all processes exchange.

    Parameters
    ----------
    named_params : list of tuple of str and Parameter
        Result of :func:`_agreement.check_model`.
    zero_fill : bool
        Whether parameters without a gradient participate with zeros. Otherwise they
        are skipped, and their gradients must be missing in all processes.

    Returns
    -------
    list of Parameter
        Parameters in the same order, without those that have no data.
    """
    params = []
    for _, param in named_params:
        if not param.is_initialized:
            continue
        param = param._plain()
        if param._grad is None:
            if not zero_fill:
                continue
            param._set_grad(
                _device_module(param).zeros_like(param.raw_array), layout_check=False)
        params.append(param)
    return params


def _device_module(param):
    return cuda.get_array_module(param.raw_array)


def size_of(params):
    """Return the total number of elements of parameters."""
    return sum([param.size for param in params])


def dtype_for_mpi(params):
    """Return the dtype in which MPI sums gradients: float32, or wider if needed.

    MPI has no float16.
    """
    return numpy.result_type(numpy.float32, *[param._grad.dtype for param in params])


def pack_grads(params, buffer):
    """Copy the gradients of parameters to a flat array.

    Parameters
    ----------
    params : list of Parameter
        Result of :func:`params_with_grad`.
    buffer : array, shape (n,)
        Floats of any precision, on the device of the parameters.
    """
    packing.pack([param._grad for param in params], buffer)


def unpack_grads(buffer, params, scale=1.):
    """Overwrite the gradients of parameters with a flat array times a number.

    The arrays of the gradients are reused, unless one is not writable or shares memory
    with another one: in this case all are replaced.

    Parameters
    ----------
    buffer : array, shape (n,)
    params : list of Parameter
    scale : float
    """
    try:
        packing.unpack(buffer, [param._grad for param in params], scale)
        return
    except ValueError:
        # Nothing has changed yet. Functions may return broadcast arrays as gradients,
        # and one array for two parameters.
        for param in params:
            param._set_grad(
                _device_module(param).empty_like(param._grad), layout_check=False)
    packing.unpack(buffer, [param._grad for param in params], scale)


def check_finite(model):
    """Raise in debug mode if a gradient is infinite or NaN.

    Parameters
    ----------
    model : Link
        The model.

    Raises
    ------
    ValueError
        The message names the parameters.
    """
    if not config.debug:
        return
    grads = {path: param._plain()._grad for path, param in sorted(model.namedparams())
             if param.is_initialized}
    grads = {path: grad for path, grad in grads.items() if grad is not None}
    finite = update_rules.are_finite(list(grads.values()))
    diverged = [path for path, good in zip(grads, finite, strict=True) if not good]
    if diverged:
        raise ValueError(
            'Parameters diverged after allreduce: the gradients of %s are not finite'
            % ', '.join(diverged))
