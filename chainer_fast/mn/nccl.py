"""NCCL: the names of CuPy's module ``cupy.cuda.nccl``.

They are looked up on access, so that importing this module needs neither CuPy nor
NCCL. ``_available`` is whether NCCL is available.
"""
from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy

from chainer_fast.backends import cuda


def _load():
    """Return CuPy's module, or None if CuPy or NCCL is missing."""
    if not cuda.available:
        return None
    try:
        with warnings.catch_warnings():
            # CuPy warns if it lacks NCCL; code that needs it gets an error.
            warnings.simplefilter('ignore')
            nccl = importlib.import_module('cupy.cuda.nccl')
    except Exception:  # any failure of CuPy means that NCCL is not available
        return None
    return nccl if getattr(nccl, 'available', True) else None


def __getattr__(name: str) -> Any:
    nccl = None if name.startswith('__') else _load()
    if name == '_available':
        return nccl is not None
    if nccl is None:
        raise AttributeError(
            'module %r has no attribute %r: CuPy with NCCL is not available; see '
            'https://docs.cupy.dev/en/stable/install.html' % (__name__, name))
    return getattr(nccl, name)


def _get_version(user):
    """Return the version of NCCL, or raise RuntimeError unless it is 2 or newer.

    Parameters
    ----------
    user : str
        Name of what needs it, for the message.
    """
    nccl = _load()
    if nccl is None:
        raise RuntimeError(
            '%s needs NCCL 2 or newer, but %s; see '
            'https://docs.cupy.dev/en/stable/install.html' % (
                user, 'CuPy does not find it' if cuda.available
                else 'CuPy is not available'))
    version = nccl.get_version()
    if version < 2000:
        raise RuntimeError('%s needs NCCL 2 or newer, but found %s' % (user, version))
    return version


def _get_nccl_type_id(dtype):
    """Return NCCL's constant for a dtype.

    Raises
    ------
    ValueError
        If it is not float16, float32 or float64.
    """
    try:
        name = None if dtype is None else numpy.dtype(dtype).name
    except TypeError:
        name = None
    if name not in ('float16', 'float32', 'float64'):
        raise ValueError(
            'dtype must be float16, float32 or float64, got %r' % (dtype,))
    return int(__getattr__('NCCL_' + name.upper()))
