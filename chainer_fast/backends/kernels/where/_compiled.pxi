# Selection of elements of arrays of floats in C order.
#
# Arrays without axes fit all shapes; other cases return ``NotImplemented``.
#
# Part of array/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/where/loops.hpp" \
        namespace "chainer_fast::where":
    void where_loop(
        ptrdiff_t itemsize, const void *condition, const void *x, bint x_single,
        const void *y, bint y_single, void *out, ptrdiff_t n) noexcept


def where(np.ndarray condition not None, x, y):
    cdef bint x_single, y_single
    cdef char kind = _plain_kind(x)
    if kind == 0 or _plain_kind(y) != kind or PyArray_TYPE(condition) != np.NPY_BOOL:
        return NotImplemented
    x_single, y_single = PyArray_NDIM(x) == 0, PyArray_NDIM(y) == 0
    if x_single and y_single or not PyArray_IS_C_CONTIGUOUS(condition) or not (
            (x_single or PyArray_SAMESHAPE(<np.ndarray>x, condition))
            and (y_single or PyArray_SAMESHAPE(<np.ndarray>y, condition))):
        return NotImplemented
    out = empty_like(y if x_single else x)
    where_loop(PyArray_ITEMSIZE(out), PyArray_DATA(condition),
               PyArray_DATA(<np.ndarray>x), x_single, PyArray_DATA(<np.ndarray>y),
               y_single, PyArray_DATA(<np.ndarray>out), PyArray_SIZE(out))
    return out
