from collections.abc import Callable
from typing import Any

def bind(*, array: type, launch_kernel: int = 0, get_context: int = 0,
         copy: int = 0, stream: Callable[[], int] | None = None,
         stream_capsule: Any = None, device: Callable[[], int] | None = None,
         use_device: Callable[[int], Any] | None = None,
         error: Callable[[int], Exception] | None = None) -> None: ...
def is_channels_last(array: Any) -> bool: ...

class DeviceKernel:
    make: Callable[[str], Any]
    def __init__(self, make: Callable[[str], Any]) -> None: ...

class FlatKernel(DeviceKernel):
    def __call__(self, arrays: tuple[Any, ...], *numbers: float) -> bool: ...
