"""CUDA kernels of max pooling, under Chainer's names."""
from chainer_fast.backends.kernels.pooling.cuda import (  # noqa: F401
    MaxPoolingNDKernelBackward,
    MaxPoolingNDKernelForward,
    MaxPoolingNDKernelForwardWithIndexes,
    MaxPoolingNDKernelForwardWithIndexes1,
)
