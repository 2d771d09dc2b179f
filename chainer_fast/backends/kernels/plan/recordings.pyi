from collections.abc import Callable
from typing import Any

from chainer_fast._core.graphs.graph import Shortcut
from chainer_fast.backends.kernels.plan.calls import MISS as MISS
from chainer_fast.backends.kernels.plan.calls import RepeatedCall

class Turns:
    def __init__(
        self, event: Any, default: Any, get_stream: Callable[[], Any]) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *exc_info: Any) -> None: ...

class RecordedGradients:
    given: list[Any]
    launch: Callable[[], Any]
    found: list[Any]

class RecordedCallBase(RepeatedCall):
    device: int
    turns: Turns
    arrays: list[Any]
    launch: Callable[[], Any]
    results: list[Any]
    param_arrays: list[Any]
    leaves: tuple[int, ...]
    gradients: RecordedGradients | None
    node_class: type
    is_one_variable: bool
    outputs: tuple[Any, ...]
    generation: int
    def holds(self) -> bool: ...
    def is_free(self) -> bool: ...
    def release(self) -> None: ...
    def repeat(self, args: Any, kwargs: Any) -> Any: ...
    def apply(self, inputs: list[Any]) -> Any: ...
    def launch_backward(
        self, gradients: RecordedGradients, grads: list[Any]) -> list[Any]: ...

class GraphLaunchShortcut(Shortcut): ...
