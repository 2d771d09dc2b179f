from typing import Any, Self

from chainer_fast._core.graphs.graph import Shortcut
from chainer_fast.backends.kernels.declared.signatures import Signature

class DeclaredKernel:
    name: str
    signature: Signature
    def __call__(self, *args: Any) -> Any: ...

class Declared(Shortcut):
    kernel: DeclaredKernel
    def __new__(
        cls, forward: str, *gradients: tuple[str | int, ...] | None) -> Self: ...

KERNELS: dict[str, DeclaredKernel]
