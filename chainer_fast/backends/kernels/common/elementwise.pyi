from collections.abc import Callable
from typing import Any

from chainer_fast._core.devices.launches import DeviceKernel
from chainer_fast._core.graphs.graph import Shortcut

MOST_AXES: int

class Loop:
    name: str
    arrays: int
    constants: int
    outputs: int
    on_device: Callable[..., Any] | None
    kernels: tuple[DeviceKernel, ...] | None
    def __call__(self, a: Any, b: Any = None) -> Any: ...

class Elementwise(Shortcut):
    loop: Loop
    inputs: int
    gradients: tuple[tuple[Loop, Any] | None, ...] | Loop
    parameters: tuple[str, ...]
    held: str | None
    least: float
    most: float
    broadcasts: bool
    casts: bool
    lessens: bool
    def __init__(self, loop: Loop,
                 gradients: tuple[tuple[Loop, Any] | None, ...] | Loop,
                 parameters: tuple[str, ...] = (), held: str | None = None,
                 least: float = ..., most: float = ...,
                 broadcasts: bool = ..., casts: bool = ...,
                 lessens: bool = ...) -> None: ...

copy: Loop
ACTIVATION: dict[str, Loop]
ARITHMETIC: dict[str, Loop]

def elementwise_of(function: Any,
                   inputs: int) -> tuple[Elementwise, tuple[float, float]] | None: ...
