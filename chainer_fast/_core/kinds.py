"""Kinds of arrays: a record for each library, which its own module registers.

All that the engine, devices and kernels want to know of an array they ask the record of
its kind. So a library is named where its record is made, and nowhere else.
"""
from __future__ import annotations

import functools
import typing as tp

from chainer_fast._core.graphs import graph


class Kind:
    """What is known of the arrays of one library.

    Parameters
    ----------
    name : str
        Name of the library, for messages.
    load : callable, optional
        Imports and returns the array module.
    types : tuple of type
        The types of array; none as long as the library is not imported.
    available : bool
        Whether the library can be used; if not, its types stand for what there is not.
    device_of : callable, optional
        Returns the device of an array, and None for one that is none of its devices'.
        Without one, the arrays are on the device of NumPy.
    current_device : callable, optional
        Returns the current device of the array module.
    to_numpy : callable, optional
        Returns an array in host memory, as one of NumPy.
    plain : callable, optional
        Returns the array of NumPy or CuPy inside of an array, if there is one.
    variables : object, optional
        What serves variables whose arrays are in graphs themselves, and keep their
        gradients, which are arrays of the same kind. There can be one kind of these.
    """

    def __init__(
            self, name: str, *, load: tp.Callable[[], tp.Any] | None = None,
            types: tuple[type[tp.Any], ...] = (), available: bool = True,
            device_of: tp.Callable[[tp.Any], tp.Any] | None = None,
            current_device: tp.Callable[[], tp.Any] | None = None,
            to_numpy: tp.Callable[[tp.Any], tp.Any] | None = None,
            plain: tp.Callable[[tp.Any], tp.Any] | None = None) -> None:
        self.name = name
        self.load: tp.Any = load
        self.types = types
        self.available = available
        self.device_of: tp.Any = device_of
        self.current_device: tp.Any = current_device
        self.to_numpy: tp.Any = to_numpy
        self.plain: tp.Any = plain
        self.variables: tp.Any = None

    @functools.cached_property
    def module(self) -> tp.Any:
        """The array module, imported when it is first asked for."""
        return self.load()


#: The records, by the names of the libraries.
kinds: dict[str, Kind] = {}

#: The types of array of all kinds whose libraries can be used.
types: tuple[type[tp.Any], ...] = ()

#: What returns the device of an array, or None, for each of them that has devices.
finders: tuple[tp.Callable[[tp.Any], tp.Any], ...] = ()

#: The types of array that have others inside; none as long as there are no such arrays.
wrappers: tuple[type[tp.Any], ...] = ()

#: What serves variables of these.
of_wrappers: tp.Any = None


def register(kind: Kind) -> None:
    """Make a kind known; once more when its library has been imported."""
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
    """Return the kind of an array, and None for anything else."""
    for kind in kinds.values():
        if isinstance(array, kind.types):
            return kind
    return None


def plain(array: tp.Any) -> tp.Any:
    """Return the array inside of another one; anything else is returned as it is."""
    if isinstance(array, wrappers):
        kind: tp.Any = kind_of(array)
        return kind.plain(array)
    return array
