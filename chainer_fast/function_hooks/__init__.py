"""Function hooks."""
from chainer_fast.function_hooks import (
    cuda_profile as cuda_profile,
    cupy_memory_profile as cupy_memory_profile,
    debug_print as debug_print,
    timer as timer,
)
from chainer_fast.function_hooks.cuda_profile import CUDAProfileHook as CUDAProfileHook
from chainer_fast.function_hooks.cupy_memory_profile import (
    CupyMemoryProfileHook as CupyMemoryProfileHook,
)
from chainer_fast.function_hooks.debug_print import PrintHook as PrintHook
from chainer_fast.function_hooks.timer import TimerHook as TimerHook
