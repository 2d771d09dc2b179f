/* Queries about the memory of NumPy arrays; see `gapless.pxd`. */
#ifndef CHAINER_FAST_CORE_ARRAYS_GAPLESS_HPP
#define CHAINER_FAST_CORE_ARRAYS_GAPLESS_HPP

#include <Python.h>
#include <numpy/arrayobject.h>

namespace chainer_fast {
namespace {

/* The last axis of more than one element with a given stride in bytes; -1 if none. */
inline int axis_of_stride(PyArrayObject *array, npy_intp stride) {
    int axis = PyArray_NDIM(array) - 1;
    while (axis >= 0 && (PyArray_DIM(array, axis) == 1
                         || PyArray_STRIDE(array, axis) != stride))
        --axis;
    return axis;
}

/* Whether an array, which is not empty, has no gaps in some order of axes. */
inline bool fills_memory(PyObject *object) {
    PyArrayObject *array = reinterpret_cast<PyArrayObject *>(object);
    npy_intp covered = PyArray_ITEMSIZE(array);
    const npy_intp all = covered * PyArray_SIZE(array);
    while (covered < all) {
        const int axis = axis_of_stride(array, covered);
        if (axis < 0)
            return false;
        covered *= PyArray_DIM(array, axis);
    }
    return true;
}

/* Whether two gapless arrays of one shape and type have the same order. */
inline bool same_order(PyObject *one, PyObject *other) {
    PyArrayObject *a = reinterpret_cast<PyArrayObject *>(one);
    PyArrayObject *b = reinterpret_cast<PyArrayObject *>(other);
    if (PyArray_CHKFLAGS(a, NPY_ARRAY_C_CONTIGUOUS))
        return PyArray_CHKFLAGS(b, NPY_ARRAY_C_CONTIGUOUS);
    for (int axis = 0; axis < PyArray_NDIM(a); ++axis)
        if (PyArray_DIM(a, axis) != 1
            && PyArray_STRIDE(a, axis) != PyArray_STRIDE(b, axis))
            return false;
    return true;
}

}  // namespace
}  // namespace chainer_fast

#endif
