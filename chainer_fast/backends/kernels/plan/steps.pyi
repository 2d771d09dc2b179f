from collections.abc import Iterable
from typing import Any

class NotStatic(Exception): ...

def as_array(gradient: Any) -> Any: ...

class Workspace:
    arrays: list[Any]
    functions: list[Any]
    declined: set[int]
    fallbacks: dict[int, Any]
    def __init__(
        self, templates: list[Any], plain: list[bool], functions: list[Any],
        leaving: list[int]) -> None: ...
    def fill(self, values: Iterable[int], arrays: Iterable[Any]) -> bool: ...
    def result(self, value: int) -> Any: ...
    def forget(self) -> bool: ...

class Step:
    def run(self, workspace: Workspace) -> bool: ...

class ShortcutCall(Step):
    def __init__(
        self, index: int, inputs: tuple[int, ...], output: int, pristine: Any,
        otherwise: Step) -> None: ...

class ShortcutGradient(Step):
    def __init__(
        self, index: int, given: int, found: tuple[int | None, ...],
        otherwise: Step) -> None: ...

class FusedLoops(Step):
    def __init__(self, kind: str, n: int, pieces: int, loops: list[Any]) -> None: ...

class Plan:
    def __init__(
        self, steps: list[Step], fresh: list[int], kept: list[tuple[int, int]],
        pieces: list[tuple[int, int]], starts: list[list[int] | None],
        drops: list[list[int] | None], made: list[int], needs: list[int]) -> None: ...
    def run(self, workspace: Workspace) -> bool: ...
