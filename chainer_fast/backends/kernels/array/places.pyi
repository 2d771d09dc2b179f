import typing as tp

from chainer_fast.types import NdArray

def add_at(
    values: NdArray, index: tuple[tp.Any, ...], base: NdArray | tuple[int, ...]
) -> tp.Any: ...
