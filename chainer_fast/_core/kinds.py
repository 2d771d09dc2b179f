"""Kinds of arrays: a record for each library, registered by its module.

The engine, devices and kernels query the record of an array's kind. Therefore a library
is only named where its record is made.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from chainer_fast._core.graphs import graph


class Kind:
    """Properties of the arrays of one library.

    Parameters
    ----------
    name : str
        Name of the library, for messages.
    load : callable, optional
        Imports and returns the array module.
    types : tuple of type
        The array types; none as long as the library is not imported.
    available : bool
        Whether the library can be used; if not, its types are placeholders.
    device_of : callable, optional
        Returns the device of an array, or None for an array that is not on one of its
        devices. Without this function, the arrays are on the device of NumPy.
    current_device : callable, optional
        Returns the current device of the array module.
    to_numpy : callable, optional
        Returns an array in host memory, as a NumPy array.
    plain : callable, optional
        Returns the NumPy or CuPy array wrapped by an array, if any.
    variables : object, optional
        Support for variables whose arrays are in graphs themselves and keep their
        gradients, which are arrays of the same kind. Only one kind can have it.
    """

    def __init__(
            self, name: str, *, load: Callable[[], Any] | None = None,
            types: tuple[type[Any], ...] = (), available: bool = True,
            device_of: Callable[[Any], Any] | None = None,
            current_device: Callable[[], Any] | None = None,
            to_numpy: Callable[[Any], Any] | None = None,
            plain: Callable[[Any], Any] | None = None) -> None:
        self.name = name
        self.load: Any = load
        self.types = types
        self.available = available
        self.device_of: Any = device_of
        self.current_device: Any = current_device
        self.to_numpy: Any = to_numpy
        self.plain: Any = plain
        self.variables: Any = None

    @functools.cached_property
    def module(self) -> Any:
        """The array module, imported on first access."""
        return self.load()


#: The records, by library name.
kinds: dict[str, Kind] = {}

#: The array types of all kinds whose libraries can be used.
types: tuple[type[Any], ...] = ()

#: Functions that return the device of an array, or None, for kinds with devices.
finders: tuple[Callable[[Any], Any], ...] = ()

#: The array types that wrap other arrays; none as long as such arrays do not exist.
wrappers: tuple[type[Any], ...] = ()

#: Support for variables of such arrays.
of_wrappers: Any = None


def register(kind: Kind) -> None:
    """Register a kind; called again when its library has been imported."""
    global types, finders, wrappers, of_wrappers
    kinds[kind.name] = kind
    types = tuple([
        each for known in kinds.values() if known.available for each in known.types])
    finders = tuple([
        known.device_of for known in kinds.values()
        if known.available and known.device_of])
    wrappers = tuple([
        each for known in kinds.values() if known.plain for each in known.types])
    if kind.variables is not None:
        of_wrappers = kind.variables
        graph.bind_wrappers(kind)


def kind_of(array: object) -> Kind | None:
    """Return the kind of an array, or None for anything else."""
    for kind in kinds.values():
        if isinstance(array, kind.types):
            return kind
    return None


def plain(array: Any) -> Any:
    """Return the array wrapped by another one; return anything else unchanged."""
    if isinstance(array, wrappers):
        kind: Any = kind_of(array)
        return kind.plain(array)
    return array
