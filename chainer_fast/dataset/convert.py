"""Converters, which turn a list of examples into the arrays that a model accepts."""
from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast._backend import Arrays, Device
from chainer_fast._core.arrays import batching
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.cuda import Stream
from chainer_fast.dataset import _unequal
from chainer_fast.types import DeviceSpec, NdArray
from chainer_fast.utils import _ragged
from chainer_fast.variable import Variable


class Converter:
    """Base class of converters.

    A converter is called with a batch and the device for the arrays. A subclass of this
    class gets a :class:`chainer_fast.backend.Device`, or ``None`` not to move the
    arrays; any other callable gets the integer of the old convention, -1 for the CPU.

    See Also
    --------
    chainer_fast.dataset.converter

    Examples
    --------
    >>> class Scaled(chainer.dataset.Converter):
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...     def __call__(self, batch, device):
    ...         x = np.stack(batch) * self.factor
    ...         return x if device is None else device.send(x)
    >>> Scaled(0.5)([np.ones(2), np.zeros(2)], None)
    array([[0.5, 0.5],
           [0. , 0. ]])
    """

    def __call__(
            self, batch: list[Any],
            device: Device | None) -> tuple[Any, ...] | dict[Any,
                Any] | NdArray:
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

    def __init__(self, base_callable: Callable[..., Any]) -> None:
        if not callable(base_callable):
            raise TypeError(
                'a converter wraps a callable, but got %s' % type(base_callable))
        self.base_callable = base_callable

    def __call__(
            self, *args: Any, **kwargs: Any) -> Any:
        if len(args) > 1:
            args = (args[0], _get_device(args[1])) + args[2:]
        if 'device' in kwargs:
            kwargs['device'] = _get_device(kwargs['device'])
        return self.base_callable(*args, **kwargs)


def converter() -> Callable[..., Any]:
    """Make a decorator that turns a function into a :class:`Converter`.

    Returns
    -------
    callable
        The decorator. The function's ``device`` is always ``None`` or a
        :class:`chainer_fast.backend.Device`.

    Examples
    --------
    >>> @chainer.dataset.converter()
    ... def as_float32(batch, device):
    ...     x = np.array(batch, np.float32)
    ...     return x if device is None else device.send(x)
    >>> as_float32([1, 2], device='@numpy')
    array([1., 2.], dtype=float32)
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
    if not callable(converter):
        words = 'the converter must be callable, like concat_examples, but is %r' % (
            converter,)
        if isinstance(converter, (int, str)):
            words += '; pass a device by name, device=%r' % (converter,)
        raise TypeError(words)
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
        'decorate the function with @chainer.dataset.converter()' % (device,))


# Exceptions of a batch without a first example.
_NO_EXAMPLE = IndexError, KeyError, TypeError


def _refuse_batch(batch):
    """Raise the error for a batch that is empty, or not a list."""
    if hasattr(batch, '__len__'):
        if len(batch) == 0:
            raise ValueError(
                'batch is empty: the iterator has returned no examples, as it does for '
                'batch_size=0')
    elif not batch:
        raise ValueError(
            'batch is empty: it is %r, but a list of examples is expected' % (batch,))
    else:
        mistakes.require(batch, '__len__', 'the batch must be a list of examples')


def _as_arguments(batch):
    """Return the result of a converter as positional and keyword arguments."""
    if isinstance(batch, dict):
        return (), batch
    return (batch if isinstance(batch, tuple) else (batch,)), {}


def to_device(device: DeviceSpec | None, x: Arrays) -> Arrays:
    """Send an array, or a list or tuple of arrays, to a device.

    Parameters
    ----------
    device : device specifier or None
        ``None`` does not move ``x``, -1 is the CPU, other integers are GPUs.
    x : array, or list or tuple of arrays
        Arrays to send.

    Returns
    -------
    array, or list or tuple of arrays
        ``x`` on the device; ``x`` itself if it is already on it.

    Raises
    ------
    RuntimeError
        If the device is a GPU and CuPy is not available.
    TypeError
        If something is neither an array nor a scalar.

    Examples
    --------
    >>> chainer.dataset.to_device('@numpy', [np.zeros(2), np.ones(1)])
    [array([0., 0.]), array([1.])]
    """
    target = _get_device(device)
    return x if target is None else target.send(x)


def concat_examples_func(
        batch: Sequence[Any], device: DeviceSpec | None = None,
        padding: float | Sequence[Any] | dict[Any,
            Any] | None = None) -> Any:
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

    Examples
    --------
    >>> batch = [(np.zeros(3), 1), (np.ones(3), 0)]
    >>> x, t = chainer.dataset.concat_examples(batch)
    >>> x.shape, t
    ((2, 3), array([1, 0]))

    Sequences of different lengths:

    >>> sequences = [np.array([1, 2, 3]), np.array([4])]
    >>> chainer.dataset.concat_examples(sequences, padding=-1)
    array([[ 1,  2,  3],
           [ 4, -1, -1]])
    """
    return _map_elements(
        batch, padding, lambda _, x, pad: to_device(device, _concat_arrays(x, pad)))


concat_examples: _ArbitraryCallableConverter = _ArbitraryCallableConverter(
    concat_examples_func)
concat_examples.__doc__ = concat_examples_func.__doc__


def _map_elements(batch, padding, convert):
    """Call ``convert(key, arrays, padding)`` for each element of the examples."""
    try:
        first = batch[0]
    except _NO_EXAMPLE:
        _refuse_batch(batch)
        raise
    if isinstance(first, tuple):
        pads = padding if isinstance(padding, tuple) else (padding,) * len(first)
        return tuple([
            _convert_element(i, batch, pads[i], convert) for i in range(len(first))])
    if isinstance(first, dict):
        pads = padding if isinstance(padding, dict) else dict.fromkeys(first, padding)
        return {key: _convert_element(key, batch, pads[key], convert) for key in first}
    try:
        return convert(None, batch, padding)
    except Exception as error:
        _unequal.explain(error, batch)
        raise


def _convert_element(key, batch, padding, convert):
    try:
        return convert(key, [example[key] for example in batch], padding)
    except Exception as error:
        _unequal.explain(error, batch, key)
        raise


def _concat_arrays(arrays, padding):
    if padding is None and type(arrays) is list:
        stacked = batching.stack(arrays)
        if stacked is not None:
            return stacked
    if not isinstance(arrays[0], get_array_types()):
        # For numbers and nested lists of numbers, NumPy determines dtype and shape.
        # Lists of equal length are rows of an array, possibly of objects.
        stacked = _ragged.as_numpy(arrays, min_ndim=2)
        if stacked.dtype.kind in 'OSU':
            _check_stacked(arrays, stacked, padding)
        if padding is None:
            return stacked
        arrays = stacked
    if padding is not None:
        return _concat_arrays_with_padding(arrays, padding)
    if isinstance(arrays[0], numpy.ndarray):
        return numpy.stack(arrays)
    device = backend.get_device_from_array(arrays[0])
    with backend.using_device(device):
        return device.xp.stack(arrays)


def _check_stacked(examples, stacked, padding):
    """Check examples that NumPy does not convert to numbers."""
    if isinstance(examples, Variable):
        raise TypeError('a batch must be a list of examples, but is a %s: pass its '
                        'array, or a list' % type(examples).__name__)
    kind = type(examples[0])
    if padding is None and stacked.ndim < 2 and not issubclass(kind, Variable):
        raise TypeError(
            'arrays and numbers can be stacked, but not %s: write a converter of your '
            'own, with @chainer.dataset.converter()' % (kind,))


def _concat_arrays_with_padding(arrays, padding):
    if len({array.ndim for array in arrays}) > 1:
        raise ValueError(
            'padding needs arrays with equal numbers of axes, but the shapes are '
            '%s' % ', '.join(str(array.shape) for array in arrays))
    shape = tuple(map(max, zip(*[array.shape for array in arrays], strict=True)))
    dtype = arrays[0].dtype
    # A padding that the dtype cannot represent wraps around as in C: -1 usually means
    # "ignore", even in unsigned arrays. A padding of NaN intended for some arrays
    # causes no warning about others with integers.
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
    """Variant of :func:`concat_examples` that copies to the GPU on a separate stream.

    The stacked arrays go through page-locked memory, so that the copies of a batch
    overlap with the preceding computation. The host does not wait for them. On the CPU
    it is the same as :func:`concat_examples`.

    Parameters
    ----------
    stream : cupy.cuda.Stream, optional
        Stream of the copies; by default one is created at the first call for a GPU.
    compute_stream : cupy.cuda.Stream, optional
        Stream of the computation, which waits for the copies; by default the
        current stream of the call.

    Examples
    --------
    ::

        updater = chainer.training.StandardUpdater(
            iterator, optimizer, device=0,
            converter=chainer.dataset.ConcatWithAsyncTransfer())
    """

    def __init__(
            self, stream: Stream | None = None,
            compute_stream: Stream | None = None) -> None:
        self._device = None
        self._stream: Any = stream
        self.compute_stream: Any = compute_stream
        self._conveyor = collections.defaultdict(self._get_conveyor)

    def _get_conveyor(self):
        return Conveyor(self._device, self._stream)

    def __call__(
            self, batch: Sequence[Any], device: Any = None,
            padding: Any = None) -> Any:
        """Stack a batch and send it to a device.

        Parameters
        ----------
        batch, device, padding :
            As in :func:`concat_examples`. The device must be the same in all calls.

        Returns
        -------
        array, tuple of arrays or dict of arrays
            As of :func:`concat_examples`.

        Raises
        ------
        ValueError
            If the batch is empty, or the device is not the one of the first call.
        """
        try:
            first = batch[0]
        except _NO_EXAMPLE:
            _refuse_batch(batch)
            raise
        if not isinstance(device, int):
            device = _device_id(_get_device(device))
        if not self._conveyor:
            self._device = device
        elif device != self._device:
            raise ValueError('device is different: this converter was called for %r '
                             'before, but now for %r' % (self._device, device))
        if not isinstance(first, (tuple, dict)):
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
        on_stream = contextlib.nullcontext()
        if on_gpu and self.compute_stream is not None:
            on_stream = self.compute_stream
        with cuda.get_device_from_id(device), on_stream:
            if isinstance(conveyors, dict):
                return {key: c.get() for key, c in conveyors.items()}
            return tuple([c.get() for c in conveyors])


class _Stage:
    """Buffers of a transfer: page-locked memory, and memory of the GPU.

    Attributes
    ----------
    copied : cupy.cuda.Event
        Recorded when the copy from the host is done, and the page-locked memory may
        be overwritten.
    taken : cupy.cuda.Event
        Recorded when the array has been read, and the memory of the GPU may be
        overwritten.
    """

    def __init__(self, nbytes) -> None:
        self.nbytes = nbytes
        self._pinned = cuda.cupy.cuda.alloc_pinned_memory(nbytes)
        self._array = cuda.cupy.empty(nbytes, numpy.uint8)
        self.copied, self.taken = cuda.Event(), cuda.Event()
        # The memory may still be in use by earlier work.
        self.taken.record()

    def wait(self) -> None:
        """Wait until the page-locked memory may be written to."""
        if not self.copied.done:
            self.copied.synchronize()

    def put(self, array: NdArray, stream) -> None:
        """Start copying a NumPy array on a stream."""
        self.wait()
        host = numpy.frombuffer(self._pinned, array.dtype, array.size)
        host.reshape(array.shape)[...] = array
        stream.wait_event(self.taken)
        self._found = self._array[:array.nbytes].view(array.dtype).reshape(array.shape)
        self._found.set(host.reshape(array.shape), stream)
        self.copied.record(stream)

    def get(self):
        """Return the array. The current stream waits for it, not the host."""
        stream = cuda.cupy.cuda.get_current_stream()
        stream.wait_event(self.copied)
        array = self._found.copy()
        self.taken.record(stream)
        return array


class Conveyor:
    """A queue of arrays in transfer to one device.

    Parameters
    ----------
    device : int, optional
        GPU to send arrays to; -1 is the CPU, ``None`` does not move them.
    stream : cupy.cuda.Stream, optional
        Stream of the copies, needed for a GPU.
    """

    def __init__(
            self, device: int | None = None, stream: Stream | None = None) -> None:
        self._stream: Any = stream
        self._device = device
        self._queue: list[Any] = []
        # Unused stages, the most recently used one last. There are two stages, so
        # that one can be filled while the array in the other one is in use.
        self._stages: list[Any] = [None, None]

    def put(self, array: NdArray) -> None:
        """Start sending an array."""
        if (self._device is not None and self._device >= 0
                and isinstance(array, numpy.ndarray) and array.size > 0):
            with cuda.get_device_from_id(self._device):
                stage = self._stages.pop(0) if self._stages else None
                if stage is None or stage.nbytes < array.nbytes:
                    if stage is not None:
                        stage.wait()
                    stage = _Stage(array.nbytes)
                stage.put(array, self._stream)
            array = stage
        else:
            array = to_device(self._device, array)
        self._queue.append(array)

    def get(self, sync: bool = True) -> NdArray:
        """Return the array that was put in first.

        Parameters
        ----------
        sync : bool
            Has no effect: work on the current stream waits for the copy in any case.
        """
        array = self._queue.pop(0)
        if not isinstance(array, _Stage):
            return array
        self._stages.append(array)
        with cuda.get_device_from_id(self._device):
            return array.get()
