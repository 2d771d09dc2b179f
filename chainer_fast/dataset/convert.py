"""Converters: from a list of examples to the arrays that a model takes."""
from __future__ import annotations

import collections
import typing as tp

import numpy

from chainer_fast import backend
from chainer_fast._core import examples
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.types import DeviceSpec, NdArray
from chainer_fast.variable import Variable


class Converter:
    """Base of converters.

    A converter is called with a batch and the device for the arrays. A subclass of this
    class gets a :class:`chainer_fast.backend.Device`, or ``None`` to leave the arrays
    where they are; any other callable gets the integer of the old convention, -1 for
    the CPU.
    """

    def __call__(self, batch, device):
        """Convert a batch.

        Parameters
        ----------
        batch : list
            Examples, as returned by the iterator.
        device : chainer_fast.backend.Device or None
            Device for the arrays.

        Returns
        -------
        tuple, dict or array
            The arguments of the model: positional, by name, or a single one.
        """
        raise NotImplementedError('%s has to define __call__(batch, device)'
                                  % type(self).__name__)


class _ArbitraryCallableConverter(Converter):
    """Converter that calls a function with a resolved device."""

    def __init__(self, base_callable):
        if not callable(base_callable):
            raise TypeError(
                'a converter wraps a callable, got %s' % type(base_callable))
        self.base_callable = base_callable

    def __call__(self, *args, **kwargs):
        if len(args) > 1:
            args = (args[0], _get_device(args[1])) + args[2:]
        if 'device' in kwargs:
            kwargs['device'] = _get_device(kwargs['device'])
        return self.base_callable(*args, **kwargs)


def converter() -> tp.Callable[..., tp.Any]:
    """Make a decorator that turns a function into a :class:`Converter`.

    Returns
    -------
    callable
        The decorator. The function's ``device`` is always ``None`` or a
        :class:`chainer_fast.backend.Device`.

    Examples
    --------
    >>> @converter()
    ... def as_float32(batch, device):
    ...     x = numpy.array(batch, numpy.float32)
    ...     return x if device is None else device.send(x)
    """
    return _ArbitraryCallableConverter


def _get_device(device_spec):
    return None if device_spec is None else backend.get_device(device_spec)


def _call_converter(converter, batch, device):
    """Call a converter of either kind with a resolved device."""
    assert device is None or isinstance(device, backend.Device), (
        'expected a Device or None, got %r' % (device,))
    if not isinstance(converter, Converter):
        device = _device_id(device)
    return converter(batch, device)


def _device_id(device):
    """Return the integer of the old convention for a device: -1 is the CPU."""
    if device is None:
        return None
    if isinstance(device, backend.CpuDevice):
        return -1
    if isinstance(device, backend.GpuDevice):
        return device.device.id
    raise RuntimeError(
        'a plain function as converter gets its device as an integer, and %s has none; '
        'decorate the function with @chainer.dataset.converter()' % device)


def _as_arguments(batch):
    """Return the result of a converter as positional and keyword arguments."""
    if isinstance(batch, dict):
        return (), batch
    return (batch if isinstance(batch, tuple) else (batch,)), {}


def to_device(
        device: DeviceSpec | None, x: NdArray | tp.Sequence[NdArray]) -> tp.Any:
    """Send an array, or a list or tuple of arrays, to a device.

    Parameters
    ----------
    device : device specifier or None
        ``None`` leaves ``x`` alone, -1 is the CPU, other integers are GPUs.
    x : array, or list or tuple of arrays
        Arrays to send.

    Returns
    -------
    array, or list or tuple of arrays
        ``x`` on the device; ``x`` itself if it is there already.
    """
    target = _get_device(device)
    return x if target is None else target.send(x)


def concat_examples_func(
        batch: tp.Sequence, device: DeviceSpec | None = None,
        padding: float | tp.Sequence | dict | None = None) -> tp.Any:
    """Stack the examples of a batch along a new first axis.

    Examples may be arrays, scalars, tuples or dicts. Each element of tuples and dicts
    is stacked separately.

    Parameters
    ----------
    batch : list
        At least one example. All have the structure of the first one.
    device : device specifier or None
        Device for the result, see :func:`to_device`.
    padding : scalar, tuple or dict, optional
        If given, arrays of different shapes but equal numbers of axes are filled with
        this value at the end of each axis, up to the largest length in the batch. A
        tuple or dict has a separate value for each element of an example, or ``None``
        for elements whose shapes are equal.

    Returns
    -------
    array, tuple of arrays or dict of arrays
        Arrays in the structure of the examples. The dtype is the common one of the
        arrays, or with ``padding`` that of the first array.

    Raises
    ------
    ValueError
        If the batch is empty, or if shapes differ and there is no padding.
    TypeError
        If an element is neither an array nor a number nor a nested list of numbers.
    """
    if len(batch) == 0:
        raise ValueError('batch is empty')
    return _map_elements(
        batch, padding, lambda _, x, pad: to_device(device, _concat_arrays(x, pad)))


concat_examples = _ArbitraryCallableConverter(concat_examples_func)


def _map_elements(batch, padding, convert):
    """Call ``convert(key, arrays, padding)`` for each element that examples have."""
    first = batch[0]
    if isinstance(first, tuple):
        pads = padding if isinstance(padding, tuple) else (padding,) * len(first)
        return tuple([convert(i, [example[i] for example in batch], pads[i])
                      for i in range(len(first))])
    if isinstance(first, dict):
        pads = padding if isinstance(padding, dict) else dict.fromkeys(first, padding)
        return {key: convert(key, [example[key] for example in batch], pads[key])
                for key in first}
    return convert(None, batch, padding)


def _concat_arrays(arrays, padding):
    if padding is None and type(arrays) is list:
        stacked = examples.stack(arrays)
        if stacked is not None:
            return stacked
    if not isinstance(arrays[0], get_array_types()):
        # For numbers and nested lists of them NumPy finds dtype and shape.
        found = type(arrays[0])
        arrays = numpy.asarray(arrays)
        if padding is None:
            if arrays.dtype.kind in 'OSU' and not issubclass(
                    found, Variable):
                raise TypeError(
                    'arrays and numbers can be stacked, but not %s' % found)
            return arrays
    if padding is not None:
        return _concat_arrays_with_padding(arrays, padding)
    if isinstance(arrays[0], numpy.ndarray):
        return numpy.stack(arrays)
    device = backend.get_device_from_array(arrays[0])
    with backend.using_device(device):
        return device.xp.stack(arrays)


def _concat_arrays_with_padding(arrays, padding):
    if len({array.ndim for array in arrays}) > 1:
        raise ValueError(
            'padding makes the axes of arrays equally long, but these differ in the '
            'number of axes: %s' % ', '.join(str(array.shape) for array in arrays))
    shape = tuple(map(max, zip(*[array.shape for array in arrays], strict=True)))
    dtype = arrays[0].dtype
    # A padding that the dtype cannot hold wraps around as in C: -1 usually means
    # "ignore", even in unsigned arrays. A padding of NaN meant for some arrays causes
    # no warning about others that hold integers.
    with numpy.errstate(invalid='ignore'):
        fill = numpy.asarray(padding).astype(dtype)
    device = backend.get_device_from_array(arrays[0])
    with backend.using_device(device):
        result = device.xp.empty((len(arrays),) + shape, dtype)
        result[...] = device.send(fill)
        for i, array in enumerate(arrays):
            result[(i, *map(slice, array.shape))] = array
    return result


class ConcatWithAsyncTransfer:
    """Variant of :func:`concat_examples` that sends to the GPU on a separate stream.

    The stacked arrays go through page-locked memory, so that the copies of a batch
    overlap with each other and, given ``compute_stream``, with the preceding
    computation. On the CPU it is :func:`concat_examples`.

    Parameters
    ----------
    stream : cupy.cuda.Stream, optional
        Stream of the copies; by default one is created at the first call for a GPU.
    compute_stream : cupy.cuda.Stream, optional
        Stream of the computation. If given, it waits for the copies; by default the
        host does.
    """

    def __init__(
            self, stream: cuda.Stream | None = None,
            compute_stream: cuda.Stream | None = None) -> None:
        self._device = None
        self._stream: tp.Any = stream
        self.compute_stream: tp.Any = compute_stream
        self._sync_get = compute_stream is None
        self._conveyor = collections.defaultdict(self._get_conveyor)

    def _get_conveyor(self):
        return Conveyor(self._device, self._stream)

    def __call__(self, batch, device=None, padding=None):
        """Stack a batch and send it to a device.

        Parameters
        ----------
        batch, device, padding :
            As in :func:`concat_examples`. The device must be the same in all calls.

        Returns
        -------
        array, tuple of arrays or dict of arrays

        Raises
        ------
        ValueError
            If the batch is empty, or the device is not the one of the first call.
        """
        if len(batch) == 0:
            raise ValueError('batch is empty')
        if not isinstance(device, int):
            device = _device_id(_get_device(device))
        if not self._conveyor:
            self._device = device
        elif device != self._device:
            raise ValueError('device is different: this converter was called for %r '
                             'before, and now for %r' % (self._device, device))
        if not isinstance(batch[0], (tuple, dict)):
            return to_device(device, _concat_arrays(batch, padding))

        on_gpu = device is not None and device >= 0
        if on_gpu and self._stream is None:
            with cuda.get_device_from_id(device):
                self._stream = cuda.Stream(non_blocking=True)

        # Start all copies before waiting for the first one.
        def start(key, arrays, pad):
            conveyor = self._conveyor[key]
            conveyor.put(_concat_arrays(arrays, pad))
            return conveyor

        conveyors = _map_elements(batch, padding, start)
        if on_gpu and not self._sync_get:
            self.compute_stream.wait_event(self._stream.record())
        if isinstance(conveyors, dict):
            return {key: c.get(self._sync_get) for key, c in conveyors.items()}
        return tuple([c.get(self._sync_get) for c in conveyors])


class Conveyor:
    """A queue of arrays on their way to one device.

    Parameters
    ----------
    device : int, optional
        GPU to send arrays to; -1 is the CPU, ``None`` leaves them where they are.
    stream : cupy.cuda.Stream, optional
        Stream of the copies, needed for a GPU.
    """

    def __init__(
            self, device: int | None = None, stream: cuda.Stream | None = None) -> None:
        self._stream: tp.Any = stream
        self._device = device
        self._ret_array = []
        # Two page-locked buffers alternate, each with the event of its last copy: one
        # can be filled while the other is read.
        self._array_set = [[None, None], [None, None]]

    def _on_gpu(self):
        return self._device is not None and self._device >= 0

    def put(self, array):
        """Start sending an array."""
        if self._on_gpu() and isinstance(array, numpy.ndarray):
            with cuda.get_device_from_id(self._device):
                array = self._copy(array)
        else:
            array = to_device(self._device, array)
        self._ret_array.append(array)

    def _copy(self, array):
        buffer, copied = self._array_set.pop(0)
        if copied is not None:
            copied.synchronize()
        if buffer is None or buffer.size() < array.nbytes:
            buffer = cuda.cupy.cuda.alloc_pinned_memory(array.nbytes)
        host = numpy.frombuffer(buffer, array.dtype, array.size).reshape(array.shape)
        host[...] = array
        # The memory comes from the pool of the computing stream and may still be in use
        # there, so the copy must wait for the present work of that stream.
        target = cuda.cupy.empty(array.shape, array.dtype)
        self._stream.wait_event(cuda.cupy.cuda.get_current_stream().record())
        target.set(host, self._stream)
        self._array_set.append([buffer, self._stream.record()])
        return target

    def get(self, sync: bool = True):
        """Return the array that was put in first.

        Parameters
        ----------
        sync : bool
            Whether to wait until the copy is done.
        """
        if sync and self._on_gpu():
            self._stream.synchronize()
        return self._ret_array.pop(0)
