"""Application of functions of variables to the variables inside arrays."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _array, _errors, _graphs
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._contexts import BackpropId, Device
from chainer_fast.configuration import config, using_config
from chainer_fast.functions.math import identity
from chainer_fast.variable import Variable


def common_device(arrays: Sequence[ndarray]) -> Device:
    """Return the device of all arrays.

    Raises
    ------
    DeviceError
        If they are on several devices.
    """
    device: Device = arrays[0]._device
    for array in arrays:
        if array._device is not device:
            raise _errors.DeviceError('arrays are on different devices: %s' % sorted(
                {array._device.name for array in arrays}))
    return device


def run(function: Callable[..., Any], *arrays: ndarray) -> Any:
    """Apply a function of variables to arrays, without floating-point warnings.

    Parameters
    ----------
    function : callable
        Function of as many variables, which returns one or a tuple or list of
        them.
    *arrays : ndarray
        Arrays on one device.

    Returns
    -------
    ndarray or tuple of ndarray
        Results in all active graphs of the arrays.
    """
    return graph.silently(applied, function, *arrays)


def applied(function: Callable[..., Any], *arrays: ndarray) -> Any:
    """Apply a function that may be the user's own to arrays: see :func:`run`.

    NumPy warns as it does elsewhere.
    """
    device = common_device(arrays)
    for array in arrays:
        if array._ids is not None:
            return _run_in_graphs(function, arrays, device)
    if device.native:
        results = function(*[array._v for array in arrays])
    else:
        with device.scope():
            results = function(*[array._v for array in arrays])
    return around(results, device, arrays)


def around(results: Any, device: Device, arrays: Sequence[ndarray]) -> Any:
    """Return arrays that wrap the results of a function of wrapped arrays."""
    if isinstance(results, Variable):
        return _result(results, device, arrays)
    return tuple([_result(result, device, arrays) for result in results])


def _result(variable, device, arrays):
    """Return an array that wraps a result, in the graph if it can have a gradient."""
    if variable._requires_grad:
        if (not config.enable_backprop or variable.raw_array is None
                or variable.dtype.kind != 'f'):
            variable = Variable._init_unchecked(variable.raw_array, requires_grad=False)
        elif any([array._v is variable for array in arrays]):
            # It keeps its own gradient.
            variable = identity.identity(variable)
    return _array.wrap(variable, device)


def _run_in_graphs(function, arrays, device):
    ids = frozenset().union(*[array._all_graphs() for array in arrays])
    kept = frozenset([each for each in ids if _graphs.is_on(each)])
    with using_config('enable_backprop', bool(kept)), device.scope():
        results = function(*[array._v for array in arrays])
        single = isinstance(results, Variable)
        found = [_result(result, device, arrays) for result in (
            [results] if single else results)]
    for i, array in enumerate(found):
        if array._v.requires_grad:
            array._ids = ids
            found[i] = leave(array, ids - kept)
    return found[0] if single else tuple(found)


def leave(array, ids):
    """Return an array detached from some of its graphs, an operation in others."""
    left = array._all_graphs() - ids
    if not ids:
        return array
    if not left:
        return array.as_grad_stopped()
    with using_config('enable_backprop', True):
        variable, = _graphs.StopGradients(ids).apply((array._v,))
    return _array.wrap(variable, array._device, left)


@_array.method
def as_grad_stopped(
        a: ndarray, backprop_ids: Sequence[BackpropId] | bool | None = None,
        copy: bool = False) -> ndarray:
    """Return the array detached from some graphs, by default from all.

    Parameters
    ----------
    backprop_ids : sequence of BackpropId, optional
    copy : bool
        Whether to copy the memory.
    """
    if isinstance(backprop_ids, bool):
        backprop_ids, copy = None, backprop_ids
    if backprop_ids is None:
        array = a._array
        if copy:
            with a._device.scope():
                array = array.copy(order='C')
        return _array.plain(array, a._device)
    stopped = frozenset(map(_graphs.resolve, backprop_ids)) & a._all_graphs()
    found = a.copy() if copy else a.view()
    return leave(found, stopped) if stopped else found


@_array.method
def view(a: ndarray) -> ndarray:
    """Return an array with the same memory; in graphs, an operation."""
    if not a._v.requires_grad:
        return a.as_grad_stopped()
    return run(identity.identity, a)
