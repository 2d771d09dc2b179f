# Cross entropy between the softmax of scores and labels, in either precision.
#
# Part of cross_entropy/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/cross_entropy/loops.hpp" \
        namespace "chainer_fast::cross_entropy":
    ctypedef struct Extent:
        ptrdiff_t outer
        ptrdiff_t n
        ptrdiff_t inner

    void losses_loop(
        char kind, object x, object y, object labels, object soft, object weights,
        object losses, Extent e, Unary exp, Unary log) noexcept
    void score_gradients_loop(
        char kind, object y, object labels, object soft, object weights, object scales,
        object gx, Extent e) noexcept
    void mean_loop(
        char kind, object losses, object mean, ptrdiff_t n, double coeff) noexcept
    void loss_gradients_loop(
        char kind, object gy, object scales, ptrdiff_t n, double coeff) noexcept
    npy_intp read_classes[Label](
        const Label *t, npy_intp n, npy_intp classes, bint ignores, npy_intp ignored,
        npy_intp *labels) noexcept

cdef Unary _exp = unary_of(numpy.exp)
cdef Unary _log = unary_of(numpy.log)


cdef Extent _extent(object x) noexcept:
    cdef Extent e
    e.outer = PyArray_DIM(<np.ndarray>x, 0)
    e.n = PyArray_DIM(<np.ndarray>x, 1)
    e.inner = PyArray_SIZE(x) // (e.outer * e.n)
    return e


cdef object _losses(object x, object labels, object soft, object weights,
                    object losses):
    """Fill losses; return the softmax, or None if a flag was raised."""
    y = empty_like(x)
    clear_float_errors()
    losses_loop(
        kind_of(x), x, y, labels, soft, weights, losses, _extent(x), _exp, _log)
    return None if float_errors() else y


cdef object _gradient(object y, object labels, object soft, object weights,
                      object scales):
    """Return the gradient of the scores, or None if a flag was raised.

    The scales, which are the gradients of the losses, are weighted in place.
    """
    gx = empty_like(y)
    clear_float_errors()
    score_gradients_loop(
        kind_of(y), y, labels, soft, weights, scales, gx, _extent(y))
    return None if float_errors() else gx


cdef object _classes(
        object t, object x, const Ignored *ignored, npy_intp *counted):
    """Return plain labels as numbers of classes and count them.

    Ignored labels become -1; if any other is out of range, the result is None.
    """
    cdef int i
    cdef npy_intp n = PyArray_SIZE(t), classes = PyArray_DIM(<np.ndarray>x, 1)
    if PyArray_NDIM(t) != PyArray_NDIM(x) - 1:
        return None
    for i in range(PyArray_NDIM(t)):
        if PyArray_DIM(<np.ndarray>t, i) != PyArray_DIM(
                <np.ndarray>x, i if i == 0 else i + 1):
            return None
    labels = PyArray_EMPTY(
        PyArray_NDIM(t), PyArray_DIMS(<np.ndarray>t), np.NPY_INTP, 0)
    cdef const void *given = PyArray_DATA(<np.ndarray>t)
    cdef npy_intp *found = <npy_intp *>PyArray_DATA(<np.ndarray>labels)
    if np.PyArray_ITEMSIZE(<np.ndarray>t) == sizeof(npy_int32):
        counted[0] = read_classes(<const npy_int32 *>given, n, classes, ignored.some,
                                  ignored.label, found)
    else:
        counted[0] = read_classes(<const npy_int64 *>given, n, classes, ignored.some,
                                  ignored.label, found)
    return None if counted[0] < 0 else labels


cdef object _for_labels(object labels, object x):
    """Return an array of the dtype of ``x`` with a place for each label."""
    return PyArray_EMPTY(PyArray_NDIM(labels), PyArray_DIMS(<np.ndarray>labels),
                         PyArray_TYPE(<np.ndarray>x), 0)


# ------------------------------------------------------------------------ kernels

cdef object _any_classes(object t, object x, object ignore_label):
    cdef npy_intp counted
    cdef Ignored ignored
    if not read_ignored(ignore_label, &ignored):
        return None
    if not kind_of(x) or PyArray_NDIM(x) < 2:
        return None
    if not np.PyArray_Check(t) or not np.PyArray_ISINTEGER(<np.ndarray>t):
        return None
    if not plain_labels(t):
        t = contiguous(t, np.NPY_INT64)
    return _classes(t, x, &ignored, &counted)


cdef object _weights(object class_weight, object x):
    if class_weight is None:
        return None
    class_weight = contiguous(class_weight, PyArray_TYPE(<np.ndarray?>x))
    if class_weight.shape != x.shape[1:2]:
        raise ValueError('class_weight needs a weight for each class')
    return class_weight


cdef bint _weigh(object weights, object x) noexcept:
    """Return whether there are no weights, or one for each class."""
    return weights is None or is_vector(
        weights, kind_of(x), PyArray_DIM(<np.ndarray>x, 1))


cdef object _scale(object scale, object y):
    """Return the gradients of losses in the type of the scores."""
    if not np.PyArray_Check(y):
        return scale
    return np.PyArray_FROM_OTF(
        scale, PyArray_TYPE(<np.ndarray>y), np.NPY_ARRAY_FORCECAST)


cdef bint _alike(object x, object t) noexcept:
    return (kind_of(x) and PyArray_NDIM(x) >= 2 and kind_of(t) == kind_of(x)
            and PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>t))


def hard_losses(x, t, class_weight, ignore_label):
    """Compiled form of the kernel of this name."""
    weights = _weights(class_weight, x)
    x = without_gaps(x)
    labels = _any_classes(t, x, ignore_label)
    if labels is None or not _weigh(weights, x):
        return NotImplemented
    losses = _for_labels(labels, x)
    y = _losses(x, labels, None, weights, losses)
    return NotImplemented if y is None else (losses, y)


def hard_gradient(y, t, class_weight, ignore_label, scale):
    """Compiled form of the kernel of this name."""
    weights, scale = _weights(class_weight, y), _scale(scale, y)
    labels = _any_classes(t, y, ignore_label)
    if labels is None or not _weigh(weights, y):
        return NotImplemented
    scales = _for_labels(labels, y)
    scales[...] = scale
    gx = _gradient(y, labels, None, weights, scales)
    return NotImplemented if gx is None else gx


def soft_losses(x, t):
    """Compiled form of the kernel of this name."""
    if not _alike(x, t):
        return NotImplemented
    losses = numpy.empty(x.shape[:1] + x.shape[2:], x.dtype)
    y = _losses(x, None, t, None, losses)
    return NotImplemented if y is None else (losses, y)


def soft_gradient(y, t, scale):
    """Compiled form of the kernel of this name."""
    scale = _scale(scale, y)
    if not _alike(y, t):
        return NotImplemented
    scales = numpy.empty(y.shape[:1] + y.shape[2:], y.dtype)
    scales[...] = scale
    gx = _gradient(y, None, t, None, scales)
    return NotImplemented if gx is None else gx


# -------------------------------------------------------------- shortcut of a function

# Fields of the function.
cdef enum:
    CACHE_SCORE, CLASS_WEIGHT, COEFF, IGNORE_LABEL, KEPT, NORMALIZE, REDUCE, SOFT_TARGET

cdef bint _plain_arguments(
        Shortcut shortcut, FunctionBase function, Ignored *ignored) except -1:
    """Return whether loops support the attributes; read the label to ignore."""
    cdef object reduce = shortcut.field(function, REDUCE)
    return (shortcut.field(function, CLASS_WEIGHT) is None
            and type(reduce) is str and <str>reduce == 'mean'
            and read_ignored(shortcut.field(function, IGNORE_LABEL), ignored))


cdef object _row_classes(
        object t, object x, const Ignored *ignored, npy_intp *counted):
    """Return a class for each row of ``x``, or None where there is none."""
    if not plain_labels(t) or PyArray_NDIM(x) != 2:
        return None
    return _classes(t, x, ignored, counted)


cdef class SoftmaxCrossEntropyShortcut(Shortcut):
    """Mean loss of a matrix of scores and a vector of labels, without class weights."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1)
        self.traits.in_single = self.traits.rounds_fields = True

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x
        cdef npy_intp rows, counted = 0
        cdef double coeff
        cdef Ignored ignored
        # These may run code of the user, so they come first.
        cdef bint normalize = self.field(function, NORMALIZE)
        cdef bint keeps = self.field(function, CACHE_SCORE)
        if n != 2 or not _plain_arguments(self, function, &ignored):
            return None
        x = without_gaps(<object>xs[0])
        if not kind_of(x):
            return None
        labels = _row_classes(<object>xs[1], x, &ignored, &counted)
        if labels is None:
            return None
        losses = _for_labels(labels, x)
        y = _losses(x, labels, None, None, losses)
        if y is None:
            return None
        rows = PyArray_DIM(<np.ndarray>x, 0)
        coeff = 1.0 / max(counted if normalize else rows, 1)
        loss = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>x), 0)
        mean_loop(kind_of(x), losses, loss, rows, coeff)
        if float_errors():
            return None
        self.keep(function, COEFF, coeff)
        self.keep(function, SOFT_TARGET, False)
        if keeps:
            self.keep(function, KEPT, y)
        return loss

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object y = self.field(function, KEPT)
        cdef char kind = kind_of(gy)
        cdef npy_intp counted = 0
        cdef double coeff = 0
        cdef Ignored ignored
        if not _plain_arguments(self, function, &ignored) or (
                self.field(function, SOFT_TARGET) is not False
                or not number(function, self.traits.fields[COEFF], &coeff)):
            return 0
        if y is None or not kind or kind_of(y) != kind or PyArray_NDIM(gy) != 0 or (
                not fits_inputs(function, y, 1)):
            return 0
        # The labels may have changed since, or may not have gone through ``forward``.
        labels = _row_classes(input_array(function, 1), y, &ignored, &counted)
        if labels is None:
            return 0
        scales = _for_labels(labels, y)
        loss_gradients_loop(kind, gy, scales, PyArray_SIZE(labels), coeff)
        gx[0] = new_ref(_gradient(y, labels, None, None, scales))
        return gx[0] is not NULL
