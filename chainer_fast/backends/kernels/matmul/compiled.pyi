from typing import Self

from chainer_fast._core.graph import Shortcut

def use_workspace(memory: int, size: int) -> None: ...


class LinearShortcut(Shortcut): ...

class MatMulShortcut(Shortcut):
    def __new__(cls, transposed: tuple[bool, bool, bool] | None = None) -> Self: ...
