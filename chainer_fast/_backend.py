"""The interface that every device of :mod:`chainer_fast.backend` implements."""
from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any, NoReturn, TypeVar

from chainer_fast.types import NdArray, Xp

# Devices that need no setup share one context, which can be entered repeatedly.
_dummy_context = contextlib.nullcontext()


def _convert_arrays(arrays, convert):
    """Apply ``convert`` to an array, or to each array of a list or a tuple.

    ``None`` stays ``None``. An array that occurs several times in a list is converted
    once, so that its copies on the new device are one array again.
    """
    if arrays is None:
        return None
    if not isinstance(arrays, (list, tuple)):
        return convert(arrays)
    done = {id(None): None}
    for arr in arrays:
        if id(arr) not in done:
            done[id(arr)] = convert(arr)
    return type(arrays)([done[id(arr)] for arr in arrays])


# Levels at which functions request a library, and the settings that permit them.
_LEVELS = {
    '==always': ('always',),
    '>=auto': ('always', 'auto'),
}


def _check_setting(entry, value):
    """Raise ``ValueError`` unless ``value`` is valid for ``config.use_...``."""
    if value not in ('always', 'auto', 'never'):
        raise ValueError('invalid %s configuration: %r (must be either of "always", '
                         '"auto", or "never")' % (entry, value))


def _library_wanted(library, entry, level, value):
    """Return whether a setting lets functions of a level use an optional library."""
    if level not in _LEVELS:
        raise ValueError('invalid %s use level: %r (must be either of "==always" or '
                         '">=auto")' % (library, level))
    _check_setting(entry, value)
    return value in _LEVELS[level]


def _missing(what):
    return NotImplementedError('a device has to define %s' % (what,))


def _required(what, doc) -> Any:
    """Make a property that subclasses must override."""
    def missing(self):
        raise _missing(what)
    return property(missing, doc=doc)


#: An array, a list or a tuple of arrays, or None.
Arrays = TypeVar('Arrays')


class Device:
    """A unit of hardware, with transfers of arrays to it.

    This is the interface; :func:`chainer_fast.get_device` returns devices that can be
    used. Devices compare by value and are hashable.

    Attributes
    ----------
    xp : module
        Array module: ``numpy`` or ``cupy``.
    name : str
        Specifier of the device.
    supported_array_types : tuple of type
        Types of its arrays.

    See Also
    --------
    chainer_fast.get_device
    chainer_fast.using_device

    Examples
    --------
    >>> device = chainer.get_device('@numpy')
    >>> device.send([np.ones(2), None])
    [array([1., 1.]), None]
    """

    # Whether its arrays wrap arrays of another device, `fallback_device`.
    _wraps = False

    xp: Xp = _required(
        '`xp`', 'Module whose functions work on the arrays of the device.')
    name: Any = _required('`name`', "Specifier of the device, e.g. ``'@cupy:0'``.")
    supported_array_types: tuple[type[Any], ...] = _required(
        '`supported_array_types`', 'Tuple of the array types that the device can hold.')

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        raise _missing('__eq__()')

    def __ne__(self, other: object) -> bool:
        return not (self == other)

    def __hash__(self) -> int:
        return hash(self.name)

    # Arrays move by `send`, and the current device changes by `using_device`.
    # `with device:` does neither; it raises an error that explains this.
    def __enter__(self) -> NoReturn:
        raise RuntimeError(
            'a device is not a context manager; '
            'write `with chainer.using_device(device):`')

    def __exit__(
            self, exc_type: type[BaseException] | None, exc_value: BaseException | None,
            traceback: Any) -> None:
        return None

    def create_context(self) -> AbstractContextManager[Any]:
        """Return a context manager in which this is the current device.

        Returns
        -------
        context manager
            For a ``with`` statement.
        """
        return _dummy_context

    def send(self, arrays: Arrays) -> Arrays:
        """Transfer arrays to the device.

        Parameters
        ----------
        arrays : array, or list or tuple of arrays
            Arrays of any backend. ``None`` is returned unchanged.

        Returns
        -------
        array, or list or tuple of arrays
            Arrays on this device. An array that is already on this device is returned
            without a copy.

        Raises
        ------
        TypeError
            If something is neither an array nor a scalar.
        """
        return _convert_arrays(arrays, self.send_array)

    def send_array(self, array: Any) -> NdArray:
        """Transfer one array, or return it if it is already on the device.

        Parameters
        ----------
        array : array
            Array of any backend.

        Returns
        -------
        array
            The array on this device.
        """
        raise _missing('send_array()')

    def use(self) -> None:
        """Make this the current device of the thread, if the backend has one."""

    def is_array_supported(self, array: Any) -> bool:
        """Return whether functions can use ``array`` on this device without a transfer.

        Parameters
        ----------
        array : array
            An array of any backend. The result is ``False`` for any other object.

        Returns
        -------
        bool
            True if functions can use it.
        """
        raise _missing('is_array_supported()')


class NamedDevice(Device):
    """Base of devices that are equal if their names are."""

    __hash__ = Device.__hash__

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.name == self.name

    def is_array_supported(self, array: Any) -> bool:
        return isinstance(array, self.supported_array_types)
