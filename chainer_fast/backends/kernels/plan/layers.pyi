from collections.abc import Sequence

from chainer_fast.backends.kernels.plan.steps import Step

available: bool

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
        turned: bool) -> Pack: ...

class Product(Step):
    def __new__(
        cls, shape: tuple[int, int, int], left: int, right: int, out: int,
        start: int | None = None, one_row: bool = False,
        turned: bool = False) -> Product: ...

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
