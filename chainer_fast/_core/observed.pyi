from collections.abc import Callable
from typing import Any

from chainer_fast._core.graph import FunctionBase, Shortcut

class ObservedShortcut(Shortcut):
    def __init__(
        self, shortcut: Shortcut, forward: Callable[[FunctionBase, Any, int], Any],
        backward: Callable[[FunctionBase, bool, int], Any]) -> None: ...
