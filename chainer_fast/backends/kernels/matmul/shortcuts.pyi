from typing import Self

from chainer_fast._core.graph import Shortcut

class LinearShortcut(Shortcut): ...

class MatMulShortcut(Shortcut):
    def __new__(cls, transposed: tuple[bool, bool, bool] | None = None) -> Self: ...
