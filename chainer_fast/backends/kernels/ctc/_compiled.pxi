# Connectionist temporal classification, a sample at a time in double precision.
#
# Part of cross_entropy/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/ctc/loops.hpp" \
        namespace "chainer_fast::ctc":
    void ctc_loop(
        char kind, object x, object gx, object labels, npy_int32 blank,
        object input_length, object label_length, object losses, ptrdiff_t steps,
        ptrdiff_t batch, ptrdiff_t classes, ptrdiff_t width) except +


cdef bint _fit(object x, npy_int32 blank, object labels, object input_length,
               object label_length) noexcept:
    """Return whether each sample has lengths, and so many labels of classes."""
    cdef ptrdiff_t batch = PyArray_DIM(<np.ndarray>x, 1)
    cdef ptrdiff_t classes = PyArray_DIM(<np.ndarray>x, 2)
    cdef ptrdiff_t i, j, width
    cdef const npy_int32 *label
    cdef const npy_int32 *length
    if not 0 <= blank < classes or PyArray_NDIM(labels) != 2 or (
            PyArray_DIM(<np.ndarray>labels, 0) != batch):
        return False
    for each in (input_length, label_length):
        if PyArray_NDIM(each) != 1 or PyArray_DIM(<np.ndarray>each, 0) != batch:
            return False
    width = PyArray_DIM(<np.ndarray>labels, 1)
    label = <npy_int32 *>PyArray_DATA(<np.ndarray>labels)
    length = <npy_int32 *>PyArray_DATA(<np.ndarray>label_length)
    for i in range(batch):
        if not 0 <= length[i] <= width:
            return False
        for j in range(length[i]):
            if not -classes <= label[i * width + j] < classes:
                return False
    return True


def ctc(x, labels, npy_int32 blank, input_length, label_length, bint backprop):
    """Compiled form of the kernel, for contiguous arrays of single or double precision.
    """
    labels, input_length, label_length = [
        contiguous(each, np.NPY_INT32)
        for each in (labels, input_length, label_length)]
    if not kind_of(x) or PyArray_NDIM(x) != 3:
        return NotImplemented
    if not _fit(x, blank, labels, input_length, label_length):
        return NotImplemented
    losses = numpy.empty(len(labels))
    gx = numpy.empty_like(x) if backprop else None
    steps, batch, classes = x.shape
    ctc_loop(
        kind_of(x), x, gx, labels, blank, input_length, label_length, losses, steps,
        batch, classes, labels.shape[1])
    return losses, gx
