"""CUDA kernels of patches and the tools that generate them, under Chainer's names."""
from chainer_fast.backends.kernels.common.cuda_text import (  # noqa: F401
    Writer,
    andexp,
    map_,
    muladdexp,
    mulexp,
    succ_sublists,
    vars,
)
from chainer_fast.backends.kernels.convolution.cuda_patches import (  # noqa: F401
    Col2imNDKernel,
    Im2colNDKernel,
    col2im_kernel,
    im2col_kernel,
)
