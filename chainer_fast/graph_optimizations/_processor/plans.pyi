from collections.abc import Iterable, Sequence
from typing import Any

from chainer_fast._core.graphs.graph import Shortcut
from chainer_fast.graph_optimizations._replay import MISS as MISS
from chainer_fast.graph_optimizations._replay import NotStatic as NotStatic
from chainer_fast.graph_optimizations._replay import RepeatedCall, Slots

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

class FusedLoops(Step):
    def __new__(
        cls, kind: str, n: int, pieces: dict[int, int],
        loops: list[Any]) -> FusedLoops: ...

has_tiles: bool

def size_of_packed(depth: int, columns: int) -> int: ...
def size_of_rows(room: int, columns: int) -> int: ...

class PackRows(Step):
    def __new__(
        cls, first: int, rows: int, room: int, sources: tuple[int, int],
        columns: tuple[int, int], targets: tuple[int, int]) -> PackRows: ...

class ProductOfRows(Step):
    def __new__(
        cls, shape: tuple[int, int, int], room: int, left: int, right: int,
        out: int) -> ProductOfRows: ...

class Pack(Step):
    def __new__(
        cls, source: int, target: int, depth: int, columns: int,
        transposed: bool) -> Pack: ...

class Product(Step):
    def __new__(
        cls, shape: tuple[int, int, int], left: int, right: int, out: int,
        start: int | None = None, one_row: bool = False,
        transposed: bool = False) -> Product: ...

class Products(Step):
    def __new__(
        cls, shape: tuple[int, int, int], lefts: Sequence[int], right: int,
        outs: Sequence[int], start: int | None = None) -> Products: ...

class SumOfRows(Step):
    def __new__(cls, shape: tuple[int, int], source: int, target: int) -> SumOfRows: ...

class LSTMStep(Step):
    def __new__(
        cls, kind: str, shape: tuple[int, ...], values: tuple[int | None, ...],
        gradient: bool = False) -> LSTMStep: ...

MOST_INPUTS: int

class FunctionCall(Step):
    def __new__(
        cls, index: int, pristine: Any, inputs: tuple[int, ...],
        outputs: tuple[int, ...], flows: tuple[bool, ...]) -> FunctionCall: ...

class FunctionGradient(Step):
    def __new__(
        cls, index: int, label: str, grads: list[int | None], targets: list[int],
        found: list[int]) -> FunctionGradient: ...

def as_array(gradient: Any) -> Any: ...

class Sum(Step):
    def __new__(cls, a: int, b: int, total: int) -> Sum: ...

class Dense(Step):
    def __new__(cls, source: int, target: int, copied: bool = False) -> Dense: ...

class Plan:
    def __new__(
        cls, steps: list[Step], fresh: list[int], kept: list[tuple[int, int]],
        inner: set[int], starts: list[list[int] | None],
        drops: list[list[int] | None], made: list[int], needs: list[int],
        checks: list[list[int]], calls: bool) -> Plan: ...
    def run(self, workspace: Workspace) -> bool: ...

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

    def run_backward(
        self, workspace: Workspace, planned: tuple[Any, ...],
        grads: list[Any]) -> list[Any] | None: ...

    def take_back(self, workspace: Workspace) -> None: ...

class Lease:
    call: Any
    workspace: Workspace
    inputs: list[Any]
    before: tuple[Any, ...] | None

class PlanRunShortcut(Shortcut): ...
