"""Configuration and function hooks of the running thread.

Chainer reads ``config.enable_backprop``, ``config.debug`` and a few others for every
function of a graph.  Here a C thread-local pointer leads to a small record that holds
them as C integers; it is refreshed only when the version number of the configuration
has changed.
"""
import collections
import threading

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyObject_GenericGetAttr
from libc.stdint cimport uintptr_t

cdef extern from *:
    """
    #if defined(_MSC_VER)
    static __declspec(thread) PyObject *cf_thread_state = NULL;
    #else
    static __thread PyObject *cf_thread_state = NULL;
    #endif
    """
    PyObject *cf_thread_state

cdef extern from "chainer_fast/_cpu/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept
    void set_threads(int n) noexcept
    void work_alone_after_fork() noexcept

cdef extern from "chainer_fast/_core/arrays/large.hpp" namespace "chainer_fast":
    int keep_large_arrays() except -1
    size_t _waiting_bytes "chainer_fast::waiting_bytes"() noexcept

np.import_array()
work_alone_after_fork()
keep_large_arrays()


def waiting_bytes():
    """Return the bytes of freed large arrays that are kept for reuse."""
    return _waiting_bytes()


cdef class ThreadState:

    def __cinit__(self):
        self.function_hooks = collections.OrderedDict()
        self.link_hooks = collections.OrderedDict()
        self.overrides = {}
        self.seen = 0

    def __dealloc__(self):
        global cf_thread_state
        # Runs while the owning thread ends: a later request gets a new record.
        if cf_thread_state is <PyObject *>self:
            cf_thread_state = NULL


class _Owner(threading.local):
    """Keeps the record of each thread alive as long as the thread lives."""

    state = None


cdef object _owner = _Owner()
# Incremented by every change of the configuration, in any thread.
cdef unsigned long long _version = 1
cdef LocalEntries _config = None
cdef object _note_new_name = None


cdef ThreadState current():
    """Return the record of the running thread, its flags up to date."""
    global cf_thread_state
    cdef ThreadState state
    if cf_thread_state is NULL:
        state = ThreadState()
        keep_large_arrays()     # each thread has its own handler
        _owner.state = state
        cf_thread_state = <PyObject *>state
    else:
        state = <ThreadState>cf_thread_state
    if state.seen != _version and _config is not None:
        _refresh(state)
    return state


cdef int _refresh(ThreadState state) except -1:
    state.enable_backprop = bool(_config._find('enable_backprop', True))
    state.debug = bool(_config._find('debug', False))
    state.type_check = bool(_config._find('type_check', True))
    state.lazy_grad_sum = bool(_config._find('lazy_grad_sum', False))
    state.static_graph = _config._find('schedule_func', None) is not None
    _choose_threads(state, _config._find('num_threads', None))
    state.seen = _version
    return 0


cdef int _choose_threads(ThreadState state, wanted) except -1:
    """Make the loops of this thread use a number of threads, or the original number."""
    if wanted is None:
        if state.threads:
            set_threads(state.threads)
            state.threads = 0
        return 0
    if not state.threads:
        state.threads = get_threads()
    set_threads(min(wanted, 65535))
    return 0


cdef int set_enable_backprop(ThreadState state, bint value) except -1:
    """Turn graph construction in this thread on or off, like assigning the entry."""
    state.overrides['enable_backprop'] = bool(value)
    state.enable_backprop = value
    return 0


def check(str name, value):
    """Raise ``ValueError`` for a value that the loops do not support."""
    if name == 'num_threads' and value is not None and (
            not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise ValueError(
            'config.num_threads must be None or a positive integer, not %r' % (value,))


cpdef changed():
    """Make all threads read the configuration again."""
    global _version
    _version += 1


def version_address():
    """Return the address of the version of the configuration, an ``unsigned long
    long``.

    Compiled code that caches entries of the configuration reads them again when the
    version has changed.
    """
    return <uintptr_t>&_version


def get_function_hooks():
    """Return the function hooks of the running thread, in the order they were added.

    Returns
    -------
    collections.OrderedDict
        Names to :class:`chainer_fast.FunctionHook`; changing it takes effect at once.
    """
    return current().function_hooks


def get_link_hooks():
    """Return the hooks that the running thread applies to all links.

    Returns
    -------
    collections.OrderedDict
        Names to :class:`chainer_fast.LinkHook`; changing it takes effect at once.
    """
    return current().link_hooks


cdef class LocalEntries:
    # ``inspect.signature`` reads the first lines.
    """LocalEntries(global_config)
--

    Compiled base of :class:`chainer_fast.configuration.LocalConfig`.

    Parameters
    ----------
    global_config : GlobalConfig
        The configuration to fall back to.
    """

    cdef dict _global_entries
    cdef object _local

    def __init__(self, global_config):
        self._global_entries = vars(global_config)
        self._local = threading.local()

    cdef dict _entries(self):
        if self is _config:
            return current().overrides
        return vars(self._local)

    cdef object _find(self, str name, default):
        """Return an entry, given the thread's record."""
        cdef dict own
        if self is _config and cf_thread_state is not NULL:
            own = (<ThreadState>cf_thread_state).overrides
        else:
            own = vars(self._local)
        cdef PyObject *found = PyDict_GetItemWithError(own, name)
        if found is NULL:
            found = PyDict_GetItemWithError(self._global_entries, name)
            if found is NULL:
                return default
        return <object>found

    def __getattribute__(self, str name):
        cdef PyObject *found = PyDict_GetItemWithError(self._entries(), name)
        if found is NULL:
            found = PyDict_GetItemWithError(self._global_entries, name)
            if found is NULL:
                return PyObject_GenericGetAttr(self, name)
        return <object>found

    def __setattr__(self, str name, value):
        check(name, value)
        entries = self._entries()
        if name not in self._global_entries and name not in entries:
            _note_new_name(name, self._global_entries)
        entries[name] = value
        changed()

    def __delattr__(self, str name):
        entries = self._entries()
        if name not in entries:
            _no_entry(name)
        del entries[name]
        changed()

    def _seen(self):
        """Return the entries that the running thread sees, by name."""
        return {**self._global_entries, **self._entries()}

    def _own_entries(self):
        """Return the dictionary of the running thread's own entries.

        Call :func:`changed` after modifying it.
        """
        return self._entries()

    def _own(self, name, default):
        """Return the running thread's own value of an entry."""
        return self._entries().get(name, default)

cdef int _no_entry(str name) except -1:
    raise AttributeError(
        'the running thread has no configuration entry %r to delete' % (name,))


def bind_config(LocalEntries config not None, note_new_name):
    """Register ``config`` as the configuration of the engine; called once, at import.

    Parameters
    ----------
    config : LocalConfig
    note_new_name : callable
        Called with a name that is set for the first time, and the global entries.
    """
    global _config, _note_new_name
    _config = config
    _note_new_name = note_new_name
    changed()
