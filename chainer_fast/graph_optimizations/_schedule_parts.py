"""Parts of a static chain's schedule: its steps, and properties of its arrays."""
from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chainer_fast._backend import Device
from chainer_fast.backends import cuda
from chainer_fast.types import DTypeSpec, NdArray

if TYPE_CHECKING:
    from chainer_fast.backends.cuda import DummyDeviceType


class ArrayInfo:
    """Properties of an array, without a reference that keeps it alive.

    Parameters
    ----------
    array : array

    Attributes
    ----------
    weak_ref : weakref.ref
    id : int
    shape : tuple of int
    dtype : numpy.dtype
    device : cupy.cuda.Device or DummyDeviceType
    """

    def __init__(self, array: NdArray) -> None:
        self.weak_ref: Any = weakref.ref(array)
        self.id: int = id(array)
        self.shape: tuple[int, ...] = array.shape
        self.dtype: DTypeSpec = array.dtype
        self.device: Device | DummyDeviceType = cuda.get_device_from_array(array)
        self._xp = cuda.get_array_module(array)

    def was_deleted(self) -> bool:
        """Return whether the array no longer exists."""
        return self.weak_ref() is None

    def get_new_empty_array(self):
        """Return a new array of the same shape and dtype, on the same device."""
        with self.device:
            return self._xp.empty(self.shape, self.dtype)

    def __repr__(self) -> str:
        return '<%s %s %s>' % (type(self).__name__, self.shape, self.dtype)


class ScheduleInfo:
    """Step of a schedule: a function, and the positions of its arrays in a table.

    Parameters
    ----------
    func : callable
    args : tuple
        Positional arguments.
    kwargs : dict
        Keyword arguments. The lists ``inputs`` and ``outputs`` in it are filled from
        the table before a call.
    inputs_hooks, outputs_hooks : list of tuple of (int, int)
        Positions in the list, and in the table.
    return_hooks : list of tuple of (int, int)
        Positions in the function's result, and in the table.
    delete_hooks : list of int
        Positions in the table that no later step needs.
    unique_arrays : list of arrays
        The table, with ``None`` for arrays that do not exist at the moment.
    array_infos : list of ArrayInfo
        Properties of the arrays in the table.
    func_name : str, optional
    """

    def __init__(
            self, func: Callable[..., Any], args: tuple[Any, ...],
            kwargs: dict[Any, Any],
            inputs_hooks: list[Any],
            outputs_hooks: list[Any],
            return_hooks: list[Any],
            delete_hooks: Any, unique_arrays: list[Any],
            array_infos: list[ArrayInfo], func_name: str | None = None) -> None:
        self.func_name: str = func_name or getattr(func, '__name__', None) or repr(func)
        self._table, self._infos = unique_arrays, array_infos
        self._call = functools.partial(func, *args, **kwargs)
        self._filled = {'inputs': inputs_hooks, 'outputs': outputs_hooks}
        self.return_hooks, self.delete_hooks = return_hooks, delete_hooks

    @property
    def inputs_hooks(self):
        """Positions of the inputs, in the list and in the table."""
        return self._filled['inputs']

    @property
    def outputs_hooks(self):
        """Positions of the arrays written to, in the list and in the table."""
        return self._filled['outputs']

    def run_pre_hooks(self) -> None:
        """Fill the lists ``inputs`` and ``outputs`` from the table."""
        for _, index in self.outputs_hooks:
            if self._table[index] is None:
                self._table[index] = self._infos[index].get_new_empty_array()
        for name, hooks in self._filled.items():
            for at, index in hooks:
                self._call.keywords[name][at] = self._table[index]

    def run_post_hooks(self, return_arrays) -> None:
        """Put the results into the table, and release arrays no longer needed."""
        for at, index in self.return_hooks:
            self._table[index] = return_arrays[at]
        for index in self.delete_hooks:
            self._table[index] = None
        self.forget_arrays()

    def forget_arrays(self) -> None:
        """Empty the lists ``inputs`` and ``outputs``."""
        for name, hooks in self._filled.items():
            for at, _ in hooks:
                self._call.keywords[name][at] = None

    def __call__(self) -> None:
        self.run_pre_hooks()
        self.run_post_hooks(as_tuple(self._call()))

    def __repr__(self) -> str:
        return '%s: %s -> %s' % (
            self.func_name, [index for _, index in self.inputs_hooks],
            [index for _, index in self.return_hooks])


def as_tuple(returned):
    """Return the result of a step as a tuple."""
    if returned is None:
        return ()
    return returned if isinstance(returned, tuple) else (returned,)
