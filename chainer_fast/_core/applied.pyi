from collections.abc import Callable
from typing import Any

from chainer_fast.variable import Variable

def bind(
    general: Callable[[Any, tuple[Any, ...]], tuple[Variable, ...]],
    is_served: Callable[[type], bool],
    around: Callable[[Variable, Any], Variable]) -> None: ...
def apply(function: Any, inputs: tuple[Any, ...]) -> tuple[Variable, ...]: ...
