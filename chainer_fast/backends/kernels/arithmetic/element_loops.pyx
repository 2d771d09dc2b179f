"""Loops of arithmetic, powers and exponentials, by the names of their elements."""
from chainer_fast.backends.kernels.common.elementwise cimport ElementLoop, loops_of

cdef extern from * namespace "chainer_fast::arithmetic":
    """
    #include "chainer_fast/backends/kernels/arithmetic/elements.hpp"
    #include "chainer_fast/backends/kernels/common/element_loops.hpp"

    namespace chainer_fast::arithmetic {
    static const ElementLoop LINES[] = {
        CF_TWO(Add), CF_TWO(Sub), CF_TWO(Mul), CF_TWO(Div), CF_GRADS(Div), CF_ONE(Neg),
        CF_ONE(AddConstant), CF_ONE(SubFromConstant), CF_ONE(MulConstant),
        CF_ONE(DivConstant), CF_ONE(DivFromConstant), CF_GRAD(DivFromConstant),
        CF_UFUNC(exp), CF_UFUNC(log), CF_GRAD(Log), CF_UFUNC(sqrt), CF_GRAD(Sqrt),
        CF_ONE(Square), CF_GRAD(Square), CF_ONE(Abs), CF_GRAD(Abs),
        CF_ONE(Clip), CF_GRAD(Clip),
        {}};
    }
    """
    const ElementLoop LINES[1]

loops = loops_of(LINES)
