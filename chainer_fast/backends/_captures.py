"""What a CUDA graph uses beside the memory of its arrays, and must not outlive.

A graph has the addresses of what was launched while it was captured, and keeps nothing.
Whoever owns any of it, such as a plan of cuDNN whose kernels were compiled for it,
hands it to :func:`keep`. Kernels are CuPy's, which unloads them when it has to forget
what it has compiled: :func:`drop_graphs` comes before that.
"""
from __future__ import annotations

import contextlib
import threading
import typing as tp
import weakref

from chainer_fast._core.configuration import state

# What launches graphs; each has a method `forget_all`.
_launchers: weakref.WeakSet[tp.Any] = weakref.WeakSet()


class _Thread(threading.local):
    kept: list[tp.Any] | None = None


_thread = _Thread()


@contextlib.contextmanager
def keeping(kept: list[tp.Any]) -> tp.Iterator[None]:
    """Append to a list what a graph uses that the thread captures meanwhile."""
    before, _thread.kept = _thread.kept, kept
    state.changed()
    try:
        yield
    finally:
        _thread.kept = before
        state.changed()


def is_capturing() -> bool:
    """Return whether the thread captures a graph."""
    return _thread.kept is not None


def keep(*objects: tp.Any) -> None:
    """Keep objects as long as the graph that the thread captures, if it does."""
    if _thread.kept is not None:
        _thread.kept.extend(objects)


def add_launcher(launcher: tp.Any) -> None:
    """Have an object's ``forget_all()`` called when its graphs must go."""
    _launchers.add(launcher)


def drop_graphs() -> None:
    """Drop all graphs, since their kernels will be unloaded."""
    for launcher in list(_launchers):
        launcher.forget_all()
