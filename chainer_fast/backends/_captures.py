"""Objects that must live as long as a CUDA graph, besides the memory of its arrays.

A graph contains addresses of objects that were used during its capture, but does not
keep them alive. Their owner, such as a plan of cuDNN with compiled kernels, passes them
to :func:`keep`. Kernels belong to CuPy, which unloads them when its cache is cleared:
:func:`drop_graphs` is called before that.
"""
from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

from chainer_fast._core.configuration import state

# Objects that launch graphs; each has a method ``forget_all``.
_launchers: weakref.WeakSet[Any] = weakref.WeakSet()


class _Thread(threading.local):
    kept: list[Any] | None = None


_thread = _Thread()


@contextlib.contextmanager
def keeping(kept: list[Any]) -> Iterator[None]:
    """Append objects used by a graph that the thread captures meanwhile to a list."""
    before, _thread.kept = _thread.kept, kept
    state.changed()
    try:
        yield
    finally:
        _thread.kept = before
        state.changed()


def is_capturing() -> bool:
    """Return whether the thread is capturing a graph."""
    return _thread.kept is not None


def keep(*objects: Any) -> None:
    """Keep objects as long as the graph that the thread is capturing, if any."""
    if _thread.kept is not None:
        _thread.kept.extend(objects)


def add_launcher(launcher: Any) -> None:
    """Register an object whose ``forget_all()`` drops its graphs on demand."""
    _launchers.add(launcher)


def drop_graphs() -> None:
    """Drop all graphs, since their kernels will be unloaded."""
    for launcher in list(_launchers):
        launcher.forget_all()
