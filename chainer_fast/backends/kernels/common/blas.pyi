import typing as tp

_Result = tp.TypeVar('_Result')

def forget() -> None: ...
def gain(
    rows: int,
    columns: int,
    depth: int,
    left_turned: bool = False,
    right_turned: bool = False,
) -> float: ...
def gains() -> list[float] | None: ...
def without_threads(
    function: tp.Callable[..., _Result], *arguments: tp.Any) -> _Result: ...
