from collections.abc import Callable
from typing import Any

LIMIT: int

class Execution:
    def __init__(self, call: Callable[..., Any], count: int, handle: Any,
                 index: Any) -> None: ...
    def __call__(self, addresses: list[int], workspace: int) -> None: ...

class Engine:
    size: int
    execution: Execution | None

class Kept:
    plan: Any
    used: int
    def __init__(self, plan: Engine | None) -> None: ...

class Session:
    handle: Any
    plans: dict[Any, Kept]
    without: set[Any]
    zeros: Any
    scratch: Any
    def __init__(self, device: int) -> None: ...
    def touch(self, kept: Kept) -> None: ...
    def note(self, kept: Kept, names: list[str], arrays: dict[str, Any]) -> None: ...

class Repeated:
    function: Callable[..., Any]
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any) -> Any: ...

def session() -> Session: ...
def preferred(form: Callable[..., Any]) -> Callable[
    [Callable[..., Any]], Callable[..., Any]]: ...
