/* Reductions of arrays over any axes. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/reduced_axes.hpp"

namespace chainer_fast {
namespace {

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
    /* NumPy's own loops for the largest of a long row are faster. */
    const ReducedAxes::Axis &last = axes.each[axes.n - 1];
    if (kind >= (int)Reduction::LARGEST && last.reduced && last.stride == 1
            && last.length > ReducedAxes::LEAF)
        Py_RETURN_NONE;
    npy_intp dims[ReducedAxes::MOST];
    int ndim = 0;
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis)
        if (keepdims || !flags[axis])
            dims[ndim++] = flags[axis] ? 1 : PyArray_DIM(array, axis);
    PyObject *out = PyArray_EMPTY(ndim, dims, PyArray_TYPE(array), 0);
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
