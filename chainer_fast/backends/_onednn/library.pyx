"""The oneDNN library, and whether to use it.

The configuration is only read again when it has changed: a check takes a nanosecond
or two.
"""
from libc.stdint cimport uintptr_t

from chainer_fast import _backend
from chainer_fast._core.configuration import state
from chainer_fast.backends._onednn import _find
from chainer_fast.configuration import config

cdef extern from "chainer_fast/backends/_onednn/library.hpp" \
        namespace "chainer_fast::onednn":
    const char *open_library "chainer_fast::onednn::open"(
        Library &library, const char *path)

cdef extern from "chainer_fast/backends/_onednn/counting.hpp" \
        namespace "chainer_fast::onednn":
    void start_counting(Library &library)
    void stop_counting(Library &library)
    long long counted_calls()

cdef extern from *:
    """
    static thread_local unsigned long long cf_seen = 0;
    static thread_local int cf_level = 0;
    """
    unsigned long long cf_seen
    int cf_level

# Incremented by every change of the configuration.
cdef const unsigned long long *_version = (
    <const unsigned long long *><uintptr_t>state.version_address())
cdef Library _library
# None before the library was searched, then its problem or an empty string.
cdef str _reason = None


cdef int wanted() except -1:
    global cf_seen, cf_level
    if cf_seen != _version[0]:
        cf_level = _read_level()
        cf_seen = _version[0]
    return cf_level


cdef int _read_level() except -1:
    value = config.use_ideep
    if value == 'never' or not available():
        return NEVER
    if _backend._library_wanted('iDeep', 'use_ideep', '==always', value):
        return ALWAYS
    return AUTO


cdef const Library *library() except NULL:
    if not available():
        raise RuntimeError('oneDNN can not be used: ' + reason())
    return &_library


cdef int failed(str what, int status) except -1:
    """Raise the error of a status."""
    raise RuntimeError('oneDNN could not %s: %s' % (what, status_name(status).decode()))


def available():
    """Return whether the library can be used; the first call searches it.

    Returns
    -------
    bool
    """
    global _reason
    if _reason is None:
        _reason = _open()
    return not _reason


def reason():
    """Return why the library cannot be used, or an empty string."""
    available()
    return _reason


def version():
    """Return the version of the library, such as ``'3.2.0'``; None without it."""
    if not available():
        return None
    cdef const Version *v = _library.version()
    return '%d.%d.%d' % (v.major, v.minor, v.patch)


def count(on):
    """Start or stop counting the library's work; counting costs nothing while stopped.

    Parameters
    ----------
    on : bool
    """
    if not available():
        return
    if on:
        start_counting(_library)
    else:
        stop_counting(_library)


def counted():
    """Return the counted number of primitives and products of the library.

    Returns
    -------
    int
    """
    return counted_calls()


cdef str _open():
    path = _find.path()
    if path is None:
        return 'the package %s is not installed' % _find.WHEEL
    cdef const char *wrong = open_library(_library, path.encode())
    return '' if wrong is NULL else '%s: %s' % (path, wrong.decode())
