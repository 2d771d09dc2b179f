from collections.abc import Iterable
from typing import Any

MISSING: object
ANY: object

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
