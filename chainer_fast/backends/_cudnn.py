"""Settings of cuDNN, and whether functions use it.

No binding of cuDNN is loaded: CuPy no longer has one. So the answers below are those of
Chainer on a machine without cuDNN, and functions use CuPy's own kernels.
"""
from chainer_fast import _backend
from chainer_fast.configuration import config

#: Whether functions may use cuDNN.
cudnn_enabled = False

# Version number of the library as `cudnnGetVersion` gives it; -1 without one.
_cudnn_version = -1


def should_use_cudnn(level, lowest_version=0):
    """Return whether a function that asks at ``level`` should use cuDNN.

    Parameters
    ----------
    level : {'==always', '>=auto'}
        Least value of ``config.use_cudnn`` at which the answer is yes.
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
    if _cudnn_version < lowest_version:
        return False
    return _backend._library_wanted('cuDNN', 'use_cudnn', level, config.use_cudnn)


def should_use_cudnn_tensor_core(dtype):
    """Return whether cuDNN should use Tensor Cores for arrays of ``dtype``.

    Parameters
    ----------
    dtype : dtype

    Returns
    -------
    bool
        ``config.use_cudnn_tensor_core``, or under ``'auto'`` whether cuDNN has Tensor
        Cores.

    Raises
    ------
    ValueError
        If ``config.use_cudnn_tensor_core`` is unknown.
    """
    value = config.use_cudnn_tensor_core
    _backend._check_setting('use_cudnn_tensor_core', value)
    return value == 'always'


def get_max_workspace_size():
    """Return how many bytes of workspace cuDNN may use: 0 without cuDNN."""
    return 0


def set_max_workspace_size(size):
    """Limit the bytes of workspace that cuDNN may use; ignored without cuDNN.

    Parameters
    ----------
    size : int
    """


def get_cudnn_dropout_states():
    """Return cuDNN's random states of the running thread.

    Raises
    ------
    RuntimeError
        If cuDNN is not available.
    """
    raise RuntimeError('cuDNN is not enabled.')


def get_cudnn_dropout_states_core(thread_id):
    """Return cuDNN's random states of the given thread, as above."""
    return get_cudnn_dropout_states()
