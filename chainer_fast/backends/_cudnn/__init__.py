"""Settings of cuDNN, and whether functions use it.

The library is searched when a function first needs it, never at import. GPU kernels
call :func:`wanted`; the other modules of this package do the work. They read settings
again when these have changed, which ``state.changed()`` reports.
"""
from __future__ import annotations

from typing import Any, NoReturn

import numpy

from chainer_fast import _backend
from chainer_fast._core.configuration import state
from chainer_fast._help import installation
from chainer_fast.backends._cudnn import library
from chainer_fast.configuration import config
from chainer_fast.types import DTypeSpec

# Version number of the library as returned by `cudnnGetVersion`; -1 without the
# library, and None before the first query.
_cudnn_version = None

# Many of the best engines change the layout of images in a workspace, which may be
# three times as large as the images: 2.3 GiB for ResNet-50 at batch 256, and 6.3 GiB
# for VGG's convolutions. If that much is not available, an engine with a smaller
# workspace is searched.
_WORKSPACE = 8 << 30

# The user's limit, or None.
_max_workspace_size = None


def version():
    """Return the version number of cuDNN, such as 91002; -1 if it can't be used."""
    global _cudnn_version
    if _cudnn_version is None:
        _cudnn_version = library.version()
    return _cudnn_version


def should_use_cudnn(level: str, lowest_version: int = 0) -> bool:
    """Return whether a function should use cuDNN at a level of the configuration.

    Parameters
    ----------
    level : {'==always', '>=auto'}
        Lowest value of ``config.use_cudnn`` at which cuDNN is used.
    lowest_version : int
        Lowest version of cuDNN that the function supports.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If cuDNN is available and ``level`` or ``config.use_cudnn`` is unknown.
    """
    if version() < lowest_version:
        return False
    return _backend._library_wanted('cuDNN', 'use_cudnn', level, config.use_cudnn)


def wanted():
    """Return whether a kernel with a cuDNN form uses it for arrays on a GPU.

    Raises
    ------
    RuntimeError
        If ``config.use_cudnn`` is ``'always'``, and cuDNN is not available although it
        was not turned off.
    """
    if should_use_cudnn('>=auto'):
        return True
    if config.use_cudnn == 'always' and version() < 0 and not library.switched_off():
        raise RuntimeError(
            "chainer.config.use_cudnn is 'always', but cuDNN can't be used (%s). "
            "'auto' works without it. To install it: %s, or nvidia-cudnn-cu13 with "
            "CuPy "
            'for CUDA 13' % (
                library.reason(), installation.install('cudnn', 'nvidia-cudnn-cu12')))
    return False


def should_use_cudnn_tensor_core(dtype: DTypeSpec) -> bool:
    """Return whether cuDNN should use Tensor Cores for arrays of ``dtype``.

    In single precision they round the operands to TF32, which has the fraction bits of
    float16. This needs ``'always'``.

    Parameters
    ----------
    dtype : dtype

    Returns
    -------
    bool
        ``config.use_cudnn_tensor_core``, or with ``'auto'`` whether Tensor Cores lose
        no precision: for float16.

    Raises
    ------
    ValueError
        If ``config.use_cudnn_tensor_core`` is unknown.
    """
    value = config.use_cudnn_tensor_core
    _backend._check_setting('use_cudnn_tensor_core', value)
    if value == 'auto':
        return version() > 0 and numpy.dtype(dtype) == 'e'
    return value == 'always'


def get_max_workspace_size() -> int:
    """Return the number of bytes of workspace that cuDNN may use; 0 without cuDNN.

    Returns
    -------
    int
        Number of bytes.
    """
    if version() <= 0:
        return 0
    return _WORKSPACE if _max_workspace_size is None else _max_workspace_size


def set_max_workspace_size(size: int) -> None:
    """Limit the bytes of workspace that cuDNN may use; ignored without cuDNN.

    Parameters
    ----------
    size : int
        The limit for each call. By default, cuDNN's best engines may use up to 8 GiB,
        or less if memory is short.
    """
    global _max_workspace_size
    _max_workspace_size = size
    state.changed()


def get_cudnn_dropout_states() -> NoReturn:
    """Return cuDNN's random states of the running thread.

    Raises
    ------
    RuntimeError
        Always: dropout needs no cuDNN.
    """
    raise RuntimeError(
        'cuDNN is not enabled.' if version() < 0 else
        'cuDNN has no random states here: dropout draws from CuPy.')


def get_cudnn_dropout_states_core(thread_id: Any) -> NoReturn:
    """Return cuDNN's random states of the given thread, as above."""
    get_cudnn_dropout_states()
