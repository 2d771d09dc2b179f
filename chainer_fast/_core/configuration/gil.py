"""The global interpreter lock (GIL), which the compiled engine needs.

Graphs hold borrowed pointers, and counts of references are read: both are right while
one thread of Python runs at a time. A free-threaded interpreter switches its lock on
when it loads a module that says so, as all of ours do, unless it was told not to.
"""
import sys


def is_on():
    """Return whether the interpreter has the lock.

    Returns
    -------
    bool
        Always true unless the interpreter is a free-threaded one.
    """
    return getattr(sys, '_is_gil_enabled', lambda: True)()


def require():
    """Refuse an interpreter that was told to do without the lock.

    Raises
    ------
    ImportError
    """
    if not is_on():
        raise ImportError(
            'chainer_fast needs the global interpreter lock (GIL), which is switched '
            'off in this process. Unset PYTHON_GIL, and leave out -X gil=0: Python '
            'then switches the lock on when it imports chainer_fast.')
