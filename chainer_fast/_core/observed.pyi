from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from chainer_fast._core.graph import FunctionBase, Shortcut

class ObservedShortcut(Shortcut):
    def __init__(
        self, shortcut: Shortcut, forward: Callable[[FunctionBase, Any, int], Any],
        backward: Callable[[FunctionBase, bool, int], Any]) -> None: ...

def within(
    plain: Callable[..., Any],
    enter: Callable[..., AbstractContextManager[Any]]) -> Callable[..., Any]: ...
