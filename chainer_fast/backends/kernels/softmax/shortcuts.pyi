from typing import Self

from chainer_fast._core.graph import Shortcut

class SoftmaxShortcut(Shortcut):
    def __new__(cls, logarithm: bool = False) -> Self: ...
