from collections.abc import Callable, Iterable
from typing import Any, final

@final
class Methods:
    cls: type
    by_name: dict[str, Callable[..., Any]]
    def __init__(self, cls: type, names: Iterable[str]) -> None: ...
    def held_by(self, instance: object) -> bool: ...
