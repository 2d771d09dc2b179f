from collections.abc import Sequence

from chainer_fast.backends.kernels.plan.steps import Step

available: bool

def size_of_packed(depth: int, columns: int) -> int: ...
def size_of_rows(room: int, columns: int) -> int: ...

class PackRows(Step):
    def __init__(
        self, first: int, rows: int, room: int, sources: tuple[int, int],
        columns: tuple[int, int], targets: tuple[int, int]) -> None: ...

class ProductOfRows(Step):
    def __init__(
        self, shape: tuple[int, int, int], room: int, left: int, right: int,
        out: int) -> None: ...

class Pack(Step):
    def __init__(
        self, source: int, target: int, depth: int, columns: int,
        turned: bool) -> None: ...

class Product(Step):
    def __init__(
        self, shape: tuple[int, int, int], left: int, right: int, out: int,
        start: int | None = None, one_row: bool = False,
        turned: bool = False) -> None: ...

class Products(Step):
    def __init__(
        self, shape: tuple[int, int, int], lefts: Sequence[int], right: int,
        outs: Sequence[int], start: int | None = None) -> None: ...

class SumOfRows(Step):
    def __init__(self, shape: tuple[int, int], source: int, target: int) -> None: ...

class LSTMStep(Step):
    def __init__(
        self, kind: str, shape: tuple[int, ...], values: tuple[int | None, ...],
        gradient: bool = False) -> None: ...
