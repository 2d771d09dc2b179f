/* Reductions of arrays over any axes. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/reduced_axes.hpp"

namespace chainer_fast {
namespace {

/* Bytes between results along an axis: as NumPy's, they come in the order of the terms in
 * memory. */
inline npy_intp result_stride(PyArrayObject *array, int axis, const int *flags) {
    npy_intp bytes = PyArray_ITEMSIZE(array);
    for (int other = 0; other < PyArray_NDIM(array); ++other) {
        const npy_intp more = PyArray_STRIDE(array, axis) - PyArray_STRIDE(array, other);
        if (!flags[other] && (more > 0 || (more == 0 && other > axis)))
            bytes *= PyArray_DIM(array, other);
    }
    return bytes;
}

/* Return the reduction of an array; or None, if there is no loop for it, or one has raised
 * a flag of which NumPy would warn. */
inline PyObject *reduced(int kind, PyObject *object, const int *flags, bool keepdims) {
    PyArrayObject *array = (PyArrayObject *)object;
    ReducedAxes axes;
    if (!PyArray_CheckExact(object) || !PyArray_ISBEHAVED_RO(array)
        || (PyArray_TYPE(array) != NPY_FLOAT && PyArray_TYPE(array) != NPY_DOUBLE)
        || !axes.read(PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array),
                      flags, PyArray_ITEMSIZE(array)))
        Py_RETURN_NONE;
    npy_intp dims[ReducedAxes::MOST], strides[ReducedAxes::MOST];
    int ndim = 0;
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis)
        if (keepdims || !flags[axis]) {
            dims[ndim] = flags[axis] ? 1 : PyArray_DIM(array, axis);
            strides[ndim++] = result_stride(array, axis, flags);
        }
    PyObject *out = PyArray_New(&PyArray_Type, ndim, dims, PyArray_TYPE(array), strides,
                                nullptr, 0, 0, nullptr);
    if (!out)
        return nullptr;
    PyThreadState *state = axes.size >= LONG_LOOP ? PyEval_SaveThread() : nullptr;
    const bool warns = reduce(
        (Reduction)kind, PyArray_TYPE(array) == NPY_FLOAT, axes, PyArray_DATA(array),
        PyArray_DATA((PyArrayObject *)out));
    if (state)
        PyEval_RestoreThread(state);
    if (!warns)
        return out;
    Py_DECREF(out);
    Py_RETURN_NONE;
}

}  // namespace
}  // namespace chainer_fast
