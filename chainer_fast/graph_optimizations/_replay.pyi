from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chainer_fast._core.graphs.graph import Shortcut

MISSING: object
ANY: object
MISS: object
REFUSED: object

class InputPattern:
    def __init__(
        self, template: Any, requires_grad: bool | None,
        device: int | None = None) -> None: ...

class Of:
    cls: type
    def __init__(self, cls: type) -> None: ...

class Same:
    index: int
    def __init__(self, index: int) -> None: ...

class Slots:
    places: list[tuple[Any, str]]
    patterns: list[Any]
    used: list[bool]
    def __init__(
        self, places: list[tuple[Any, str]], patterns: list[Any],
        used: list[bool]) -> None: ...
    def fit_now(self) -> bool: ...
    def set(self, values: Iterable[Any]) -> None: ...
    def get(self) -> list[Any]: ...

class Guard:
    def __init__(
        self, links: Iterable[Any], ignored: frozenset[str],
        slots: Iterable[tuple[Any, str]] = ()) -> None: ...
    def holds(self) -> bool: ...

def value_of(link: Any, name: str) -> Any: ...

class NotStatic(Exception): ...

class RepeatedCall:
    pattern: Any
    same_settings: Callable[[], bool]
    guard: Guard
    params: list[Any]
    enable_backprop: bool
    turn: int
    def repeat(self, args: Any, kwargs: Any) -> Any: ...

class RefusedCall(RepeatedCall): ...

class LatestCalls:
    def clear(self) -> None: ...
    def drop(self, repeated: Sequence[RepeatedCall]) -> None: ...
    def turn_of(self, repeated: Sequence[RepeatedCall]) -> int: ...
    def note(self, func: Any, repeated: RepeatedCall, schedule: Any) -> None: ...
    def repeat(
        self, chain: Any, func: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any]) -> Any: ...

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
    recorder: Any
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
