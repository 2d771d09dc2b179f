"""Arrays of random numbers from the generators of NumPy and CuPy.

Functions that ChainerX itself lacks are those of the default device's generator.
"""
from __future__ import annotations

import functools
from typing import Any

import numpy

from chainer_fast.chainerx import _contexts, _conversion
from chainer_fast.chainerx._array import ndarray

__all__ = ['normal', 'uniform']


def normal(loc: float = 0., scale: float = 1., size: Any = None,
           device: Any = None) -> ndarray:
    """Draw numbers from a normal distribution.

    Parameters
    ----------
    loc, scale : float
        Its mean and standard deviation.
    size : int or tuple of int, optional
        The shape; by default a single number, as a 0-dimensional array.
    device : Device or str, optional

    Returns
    -------
    ndarray
        Array of ``float64``.
    """
    return _random('normal', loc, scale, size, device)


def uniform(low: float = 0., high: float = 1., size: Any = None,
            device: Any = None) -> ndarray:
    """Draw numbers from a uniform distribution.

    Parameters
    ----------
    low, high : float
        Its bounds; the upper one is excluded.
    size : int or tuple of int, optional
        The shape; by default a single number, as a 0-dimensional array.
    device : Device or str, optional

    Returns
    -------
    ndarray
        Array of ``float64``.
    """
    return _random('uniform', low, high, size, device)


def _random(name, first, second, size, device):
    device = _contexts.get_device(device)
    with device.scope():
        return _conversion.asarray(
            getattr(device.xp.random, name)(first, second, size), device=device)


def __getattr__(name: str) -> Any:
    function = getattr(numpy.random, name)
    if name.startswith('_') or not callable(function):
        raise AttributeError('chainerx.random has no %s' % (name,))
    return functools.partial(_drawn, name)


def _drawn(name, *args, **kwargs):
    """Return the result of a generator, with arrays wrapped."""
    device = _contexts.get_default_device()
    plain = [x._array if isinstance(x, ndarray) else x for x in args]
    with device.scope():
        found = getattr(device.xp.random, name)(*plain, **kwargs)
    is_array = isinstance(found, device.xp.ndarray)
    return _conversion.asarray(found, device=device) if is_array else found
