from collections.abc import Iterable
from typing import Any

class NotStatic(Exception): ...

def as_array(gradient: Any) -> Any: ...

class Workspace:
    arrays: list[Any]
    functions: list[Any]
    declined: set[int]
    fallbacks: dict[int, Any]
    def __new__(
        cls, templates: list[Any], plain: list[bool], functions: list[Any],
        leaving: list[int]) -> Workspace: ...
    def fill(self, values: Iterable[int], arrays: Iterable[Any]) -> bool: ...
    def result(self, value: int) -> Any: ...
    def forget(self) -> bool: ...

class Step:
    def run(self, workspace: Workspace) -> bool: ...

class ShortcutCall(Step):
    def __new__(
        cls, index: int, inputs: tuple[int, ...], output: int, pristine: Any,
        otherwise: Step) -> ShortcutCall: ...

class ShortcutGradient(Step):
    def __new__(
        cls, index: int, given: int, found: tuple[int | None, ...],
        otherwise: Step) -> ShortcutGradient: ...

class FusedLoops(Step):
    def __new__(
        cls, kind: str, n: int, pieces: int, loops: list[Any]) -> FusedLoops: ...

class Plan:
    def __new__(
        cls, steps: list[Step], fresh: list[int], kept: list[tuple[int, int]],
        pieces: list[tuple[int, int]], starts: list[list[int] | None],
        drops: list[list[int] | None], made: list[int], needs: list[int],
        checks: list[list[int]], calls: bool) -> Plan: ...
    def run(self, workspace: Workspace) -> bool: ...
