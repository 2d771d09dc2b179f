"""The backend of iDeep, which has no release for current Pythons.

Chainer could use iDeep's ``mdarray``. The last ``ideep4py`` is from 2019, so here the
backend is never available and NumPy does the work; only the names that programs query
before they choose it remain.
"""
import numpy

from chainer_fast import _backend
from chainer_fast.backends import _cpu
from chainer_fast.configuration import config

_ideep_version = None


class mdarray:
    """Type of iDeep's arrays, for ``isinstance``; there are none."""

    dtype: numpy.dtype
    ndim: int


class Intel64Device(_backend.NamedDevice):
    """An x86 CPU with iDeep. Creating one raises ``RuntimeError``: see the module."""

    xp = numpy
    name = '@intel64'
    supported_array_types = (numpy.ndarray, mdarray)

    def __init__(self):
        check_ideep_available()

    @staticmethod
    def from_array(array):
        """Return the device of an ``mdarray``, or ``None`` for anything else."""
        return Intel64Device() if isinstance(array, mdarray) else None

    def __repr__(self):
        return '<%s>' % type(self).__name__

    def send_array(self, array):
        return _cpu._array_to_cpu(array)


def is_ideep_available():
    """Return whether iDeep can be used: always ``False``.

    Returns
    -------
    bool
    """
    return _ideep_version is not None


def check_ideep_available():
    """Raise ``RuntimeError`` unless iDeep can be used."""
    if not is_ideep_available():
        raise RuntimeError(
            'iDeep is not available: ideep4py has no release for this Python. '
            "Use the device '@numpy'.")


def should_use_ideep(level):
    """Return whether a function that asks at ``level`` should use iDeep.

    Parameters
    ----------
    level : {'==always', '>=auto'}
        Least value of ``config.use_ideep`` at which the answer is yes.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If iDeep is available and ``level`` or ``config.use_ideep`` is unknown.
    """
    if not is_ideep_available():
        return False
    return _backend._library_wanted('iDeep', 'use_ideep', level, config.use_ideep)


def inputs_all_ready(inputs, supported_ndim=(2, 4)):
    """Return whether arrays can be passed to iDeep directly.

    Parameters
    ----------
    inputs : sequence of arrays
    supported_ndim : tuple of int
        Numbers of dimensions that the function supports.

    Returns
    -------
    bool
        ``True`` if iDeep is available and all inputs are arrays of float32 in host
        memory with a supported number of dimensions.
    """
    return is_ideep_available() and all(
        isinstance(x, Intel64Device.supported_array_types)
        and x.dtype == numpy.float32 and x.ndim in supported_ndim
        for x in inputs)
