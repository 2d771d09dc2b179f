"""CUDA kernels of average pooling, under Chainer's names."""
from chainer_fast.backends.kernels.pooling.cuda import (  # noqa: F401
    AveragePoolingNDKernelBackward,
    AveragePoolingNDKernelForward,
)
