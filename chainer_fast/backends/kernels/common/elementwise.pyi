from typing import Any

from chainer_fast._core.graph import Shortcut

class Loop: ...

class Elementwise(Shortcut):
    loop: Loop
    inputs: int
    gradients: tuple[tuple[Loop, Any] | None, ...] | Loop
    def __init__(self, loop: Loop, inputs: int,
                 gradients: tuple[tuple[Loop, Any] | None, ...] | Loop,
                 parameters: tuple[str, ...] = (), least: float = ...,
                 most: float = ...) -> None: ...

copy: Loop

def elementwise_of(function: Any,
                   inputs: int) -> tuple[Elementwise, tuple[float, float]] | None: ...
