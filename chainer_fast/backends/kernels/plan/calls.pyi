from collections.abc import Sequence
from typing import Any

from chainer_fast._core.graphs.graph import Shortcut
from chainer_fast.backends.kernels.plan.patterns import Guard, Slots
from chainer_fast.backends.kernels.plan.steps import Plan, Workspace

MISS: object
REFUSED: object

class RepeatedCall:
    pattern: Any
    guard: Guard
    params: list[Any]
    enable_backprop: bool
    turn: int
    def repeat(self, args: Any, kwargs: Any) -> Any: ...

class RefusedCallBase(RepeatedCall): ...

class LatestCalls:
    def clear(self) -> None: ...
    def drop(self, repeated: Sequence[RepeatedCall]) -> None: ...
    def turn_of(self, repeated: Sequence[RepeatedCall]) -> int: ...
    def note(self, func: Any, repeated: RepeatedCall, schedule: Any) -> None: ...
    def repeat(
        self, chain: Any, func: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any]) -> Any: ...

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
    lent: set[Workspace]
    is_one_variable: bool
    node_class: type
    get_random_state: Any
    set_random_state: Any
    full: Any
    refused: str | None
    def apply(
        self, workspace: Workspace, inputs: list[Any],
        before: tuple[Any, ...] | None) -> tuple[Any, ...]: ...

    def take_back(self, workspace: Workspace) -> None: ...

class Lease:
    call: Any
    workspace: Workspace
    inputs: list[Any]
    before: tuple[Any, ...] | None

class PlanRunShortcut(Shortcut): ...
