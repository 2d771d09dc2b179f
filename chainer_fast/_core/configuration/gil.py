"""The global interpreter lock (GIL), which the compiled engine needs.

Graphs hold borrowed pointers, and reference counts are read: both are correct while
one Python thread runs at a time. A free-threaded interpreter enables its lock when it
loads a module that requires it, as all modules of the package do, unless it was
disabled explicitly.
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
    """Reject an interpreter whose lock was disabled explicitly.

    Raises
    ------
    ImportError
    """
    if not is_on():
        raise ImportError(
            'chainer_fast needs the global interpreter lock (GIL), which is switched '
            'off in this process. Unset PYTHON_GIL, and omit -X gil=0: Python then '
            'switches the lock on when it imports chainer_fast.')
