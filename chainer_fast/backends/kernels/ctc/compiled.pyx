"""Connectionist temporal classification, a sample at a time in double precision."""
import numpy

cimport numpy as np
from libc.math cimport log
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, npy_int32

from chainer_fast._core.plain cimport kind_of
from chainer_fast.backends.kernels.common.contiguous cimport contiguous

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/logspace.hpp" \
        namespace "chainer_fast" nogil:
    double LOG_ZERO
    void join3(const double *a, const double *b, const double *c, const double *bar,
               const double *add, double *out, ptrdiff_t n) noexcept
    void fill_shares(const double *a, const double *b, double total, double *out,
                     ptrdiff_t n) noexcept
    double exp_row[T](const T *x, double *out, ptrdiff_t n) noexcept
    void divide_row[T](const double *x, double total, T *out, ptrdiff_t n) noexcept
    double sum_lanes(const double *x, ptrdiff_t n) noexcept

ctypedef fused real:
    float
    double

cdef double INFINITE = numpy.inf

# Rows of states have two without probability on either side.
cdef enum:
    MARGIN = 2


cdef struct Sample:
    ptrdiff_t steps     # times up to which the path goes
    ptrdiff_t length    # times that have a gradient
    ptrdiff_t stride    # distance of two times in the scores
    ptrdiff_t classes
    ptrdiff_t states
    npy_int32 *path     # class of each state
    double *bar         # log weight of coming from two states before
    double *log_p       # by time and state
    double *before      # by time and state, in rows of ``pitch``
    ptrdiff_t pitch
    double *after
    double *ahead
    double *row         # room for a row of classes or states


cdef void _clear(double *row, ptrdiff_t n) noexcept nogil:
    cdef ptrdiff_t i
    for i in range(n):
        row[i] = LOG_ZERO


cdef void _set_path(Sample *a, const npy_int32 *labels, npy_int32 blank) noexcept nogil:
    """Lay blanks between the labels, and bars where a blank must not be skipped."""
    cdef ptrdiff_t i
    cdef npy_int32 label
    _clear(a.bar, a.states + MARGIN)
    a.path[0] = blank
    for i in range(a.states // 2):
        label = labels[i]
        if i > 0 and label != labels[i - 1]:
            a.bar[2 * i + 1] = 0
        a.path[2 * i + 1] = label if label >= 0 else label + <npy_int32>a.classes
        a.path[2 * i + 2] = blank


cdef void _set_probabilities(Sample *a, const real *x, real *gx) noexcept nogil:
    """Fill ``log_p``, and ``gx`` with probabilities unless it is NULL."""
    cdef ptrdiff_t t, s
    cdef double total, norm, value
    for t in range(max(a.steps, a.length)):
        norm = exp_row(x, a.row, a.classes)
        total = sum_lanes(a.row, a.classes)
        if total == 0:
            # All scores are minus infinity: no class is possible.
            total = 1
        norm += log(total)
        if t < a.steps:
            for s in range(a.states):
                value = x[a.path[s]] - norm
                a.log_p[t * a.states + s] = LOG_ZERO if value < LOG_ZERO else value
        if gx is not NULL and t < a.length:
            divide_row(a.row, total, gx + t * a.stride, a.classes)
        x += a.stride


cdef double _log_likelihood(Sample *a) noexcept nogil:
    """Fill ``before``: the probability of all ways to each state; join the last two."""
    cdef double *row = a.before + MARGIN
    cdef double *last
    cdef double pair[2]
    cdef double none[2]
    cdef ptrdiff_t t
    _clear(a.before, a.steps * a.pitch)
    row[0] = a.log_p[0]
    if a.states > 1:
        row[1] = a.log_p[1]
    for t in range(1, a.steps):
        last = row
        row += a.pitch
        join3(last, last - 1, last - 2, a.bar, a.log_p + t * a.states, row, a.states)
    pair[0] = row[a.states - 1]
    if a.states > 1:
        none[0] = 0
        none[1] = LOG_ZERO
        join3(pair, row + a.states - 2, none + 1, none, none, pair, 1)
    return pair[0]


cdef void _take_from(Sample *a, double log_likelihood, real *gx) noexcept nogil:
    """Take from ``gx`` the share that each class has in the paths at each time.

    ``after`` has the probability of all ways from a state to the end, without that of
    the state itself, which ``ahead`` adds.
    """
    cdef double *after = a.after + MARGIN
    cdef double *ahead = a.ahead + MARGIN
    cdef ptrdiff_t t, s
    _clear(a.ahead, a.pitch)
    _clear(a.after, a.pitch)
    after[a.states - 1] = 0
    if a.states > 1:
        after[a.states - 2] = 0
    for t in range(a.steps - 1, -1, -1):
        if t < a.steps - 1:
            memset(a.row, 0, a.states * sizeof(double))
            join3(ahead, ahead + 1, ahead + 2, a.bar + 2, a.row, after, a.states)
        if t < a.length:
            fill_shares(a.before + t * a.pitch + MARGIN, after, log_likelihood, a.row,
                        a.states)
            for s in range(a.states):
                gx[t * a.stride + a.path[s]] -= <real>a.row[s]
        for s in range(a.states):
            ahead[s] = after[s] + a.log_p[t * a.states + s]


cdef int _run(const real *x, real *gx, const npy_int32 *labels, npy_int32 blank,
              const npy_int32 *input_length, const npy_int32 *label_length,
              double *losses, ptrdiff_t steps, ptrdiff_t batch, ptrdiff_t classes,
              ptrdiff_t width) noexcept nogil:
    """Fill the losses, infinite for impossible labels, and the gradients."""
    cdef Sample a
    cdef ptrdiff_t i, t, last
    cdef ptrdiff_t states = 2 * width + 1
    cdef ptrdiff_t row = max(states, classes)
    cdef double loss
    cdef double *room
    a.stride = batch * classes
    a.classes = classes
    a.pitch = states + 2 * MARGIN
    room = <double *>malloc(
        (steps * (a.pitch + states) + 3 * a.pitch + row) * sizeof(double)
        + states * sizeof(npy_int32))
    if room is NULL:
        return -1
    a.before = room
    a.log_p = a.before + steps * a.pitch
    a.after = a.log_p + steps * states
    a.ahead = a.after + a.pitch
    a.bar = a.ahead + a.pitch
    a.row = a.bar + a.pitch
    a.path = <npy_int32 *>(a.row + row)
    for i in range(batch):
        a.states = 2 * label_length[i] + 1
        a.length = min(max(<ptrdiff_t>input_length[i], 0), steps)
        # A length below one counts from the end, like any index.
        last = input_length[i] - 1
        if last < 0:
            last += steps
        loss = INFINITE
        if 0 <= last < steps:
            a.steps = last + 1
            _set_path(&a, labels + i * width, blank)
            _set_probabilities(&a, x + i * classes,
                               <real *>NULL if gx is NULL else gx + i * classes)
            loss = -_log_likelihood(&a)
            if loss > -LOG_ZERO / 2:
                loss = INFINITE
        losses[i] = loss
        if gx is NULL:
            continue
        if loss == INFINITE:
            a.length = 0
        elif a.length:
            _take_from(&a, -loss, gx + i * classes)
        for t in range(a.length, steps):
            memset(gx + i * classes + t * a.stride, 0, classes * sizeof(real))
    free(room)
    return 0


cdef bint _fit(object x, npy_int32 blank, object labels, object input_length,
               object label_length) noexcept:
    """Tell whether each sample has lengths and as many labels, all of them classes."""
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
    cdef char kind = kind_of(x)
    cdef int rc
    cdef void *gx_data = NULL
    if not kind or PyArray_NDIM(x) != 3:
        return NotImplemented
    labels, input_length, label_length = [
        contiguous(each, np.NPY_INT32)
        for each in (labels, input_length, label_length)]
    if not _fit(x, blank, labels, input_length, label_length):
        return NotImplemented
    losses = numpy.empty(len(labels))
    gx = None
    if backprop:
        gx = numpy.empty_like(x)
        gx_data = PyArray_DATA(<np.ndarray>gx)
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef npy_int32 *t_data = <npy_int32 *>PyArray_DATA(<np.ndarray>labels)
    cdef npy_int32 *xn = <npy_int32 *>PyArray_DATA(<np.ndarray>input_length)
    cdef npy_int32 *tn = <npy_int32 *>PyArray_DATA(<np.ndarray>label_length)
    cdef double *out = <double *>PyArray_DATA(<np.ndarray>losses)
    cdef ptrdiff_t steps = PyArray_DIM(<np.ndarray>x, 0)
    cdef ptrdiff_t batch = PyArray_DIM(<np.ndarray>x, 1)
    cdef ptrdiff_t classes = PyArray_DIM(<np.ndarray>x, 2)
    cdef ptrdiff_t width = PyArray_DIM(<np.ndarray>labels, 1)
    with nogil:
        if kind == b'f':
            rc = _run(<float *>x_data, <float *>gx_data, t_data, blank, xn, tn, out,
                      steps, batch, classes, width)
        else:
            rc = _run(<double *>x_data, <double *>gx_data, t_data, blank, xn, tn, out,
                      steps, batch, classes, width)
    if rc:
        raise MemoryError
    return losses, gx
