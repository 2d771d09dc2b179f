from collections.abc import Iterable
from typing import Any

from chainer_fast._core.graph import Shortcut
from chainer_fast.backends.kernels.plan.patterns import Slots
from chainer_fast.backends.kernels.plan.steps import Plan, Workspace

MISS: object

class Guard:
    def __init__(
        self, links: Iterable[Any], ignored: frozenset[str],
        slots: Iterable[tuple[Any, str]] = ()) -> None: ...
    def holds(self) -> bool: ...

class RepeatedCall:
    pattern: Any
    guard: Guard
    params: list[Any]
    enable_backprop: bool

class PlannedCallBase(RepeatedCall):
    params_grad: list[bool]
    slots: Slots
    input_values: list[int]
    param_values: list[int]
    leaves: list[int]
    sources: list[int]
    seeds: list[int]
    updated: list[Any]
    plan: Plan
    workspaces: list[Workspace]
    is_one_variable: bool
    node_class: type
    get_random_state: Any
    full: Any
    refused: str | None
    def repeat(self, args: Any, kwargs: Any) -> Any: ...
    def apply(
        self, workspace: Workspace, inputs: list[Any],
        before: tuple[Any, ...] | None) -> tuple[Any, ...]: ...

class Lease:
    workspace: Workspace
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class PlanRunShortcut(Shortcut): ...
