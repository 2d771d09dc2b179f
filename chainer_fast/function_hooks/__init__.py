"""Ready-made function hooks."""
from chainer_fast.function_hooks import (
    cuda_profile,
    cupy_memory_profile,
    debug_print,
    timer,
)
from chainer_fast.function_hooks.cuda_profile import CUDAProfileHook
from chainer_fast.function_hooks.cupy_memory_profile import CupyMemoryProfileHook
from chainer_fast.function_hooks.debug_print import PrintHook
from chainer_fast.function_hooks.timer import TimerHook
