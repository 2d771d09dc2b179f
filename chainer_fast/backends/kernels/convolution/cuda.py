"""CUDA forms of the kernels of patches: one element of the result in each thread."""
from chainer_fast.backends import cuda
from chainer_fast.utils import conv_nd_kernel


def gather(img, ksize, stride, pad, dilate, outs, pval=0):
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.gather`."""
    if pval:
        raise ValueError('on a GPU, images are padded with zeros only, not %r' % pval)
    col = cuda.cupy.empty(img.shape[:2] + tuple(ksize) + tuple(outs), img.dtype)
    conv_nd_kernel.im2col_kernel(len(ksize))(
        cuda.cupy.ascontiguousarray(img), *img.shape[2:], *outs, *ksize, *stride, *pad,
        *dilate, col)
    return col


def scatter(col, stride, pad, lengths, dilate):
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.scatter`."""
    nd = len(lengths)
    ksize, outs = col.shape[2:2 + nd], col.shape[2 + nd:]
    img = cuda.cupy.empty(col.shape[:2] + tuple(lengths), col.dtype)
    conv_nd_kernel.col2im_kernel(nd)(
        cuda.cupy.ascontiguousarray(col), *lengths, *outs, *ksize, *stride, *pad,
        *dilate, img)
    return img
