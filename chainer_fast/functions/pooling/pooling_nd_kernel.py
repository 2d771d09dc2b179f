"""CUDA kernels for windows on images of any dimension, under Chainer's names."""
from chainer_fast.backends.kernels.pooling.cuda_windows import (  # noqa: F401
    PoolingNDKernelBackward,
    PoolingNDKernelForward,
)
