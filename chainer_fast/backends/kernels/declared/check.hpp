/* From arrays of NumPy to the call of a loop, as a signature says. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include <memory>
#include <new>

#include "chainer_fast/backends/kernels/declared/tiles.hpp"

namespace chainer_fast {
namespace {

enum Type { FLOATS, HALVES_TOO, LABELS, CLASSES };

constexpr int MOST_SHAPES = 2, MOST_SYMBOLS = 2;

/* A shape in symbols of the first array; -1 is an axis of length one. */
struct Shape {
    int n, symbols[MOST_SYMBOLS];
    bool whole;             // that of the first array
    bool row, column;       // whether there is an element for each
};

struct Slot {
    Type type;
    int n;
    Shape shapes[MOST_SHAPES];
};

inline bool is_in_c_order(PyArrayObject *array) {
    return PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS);
}

/* Whether strides fall from axis to axis: NumPy's results are in C order then, copies as
 * well as sums. */
inline bool falls(PyArrayObject *array) {
    ptrdiff_t last = PTRDIFF_MAX;
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
        const ptrdiff_t step = PyArray_STRIDE(array, axis);
        const ptrdiff_t stride = step < 0 ? -step : step;
        if (PyArray_DIM(array, axis) == 1)
            continue;
        if (stride > last)
            return false;
        last = stride;
    }
    return true;
}

/* Whether two arrays of one shape and type fill their memory in one order. */
inline bool fill_alike(PyArrayObject *a, PyArrayObject *b) {
    const int ndim = PyArray_NDIM(a);
    for (int axis = 0; axis < ndim; ++axis)
        if (PyArray_DIM(a, axis) != 1
            && PyArray_STRIDE(a, axis) != PyArray_STRIDE(b, axis))
            return false;
    ptrdiff_t covered = PyArray_ITEMSIZE(a);
    const ptrdiff_t all = covered * PyArray_SIZE(a);
    while (covered < all) {
        int axis = ndim - 1;
        while (axis >= 0
               && (PyArray_DIM(a, axis) == 1 || PyArray_STRIDE(a, axis) != covered))
            --axis;
        if (axis < 0)
            return false;
        covered *= PyArray_DIM(a, axis);
    }
    return true;
}

/* Numbers of classes. They are copied, since others may write to labels while a loop
 * runs. */
class Classes {
public:
    /* NULL if a label is out of range. */
    const ptrdiff_t *read(PyArrayObject *labels, ptrdiff_t classes) {
        const ptrdiff_t n = PyArray_SIZE(labels);
        ptrdiff_t *found = few;
        if (n > FEW) {
            many.reset(new ptrdiff_t[n]);
            found = many.get();
        }
        const void *data = PyArray_DATA(labels);
        const bool in_range = PyArray_ITEMSIZE(labels) == sizeof(int32_t)
            ? copy((const int32_t *)data, n, classes, found)
            : copy((const int64_t *)data, n, classes, found);
        return in_range ? found : nullptr;
    }

private:
    static constexpr ptrdiff_t FEW = 64;
    ptrdiff_t few[FEW];
    std::unique_ptr<ptrdiff_t[]> many;

    template <typename Label>
    static bool copy(const Label *t, ptrdiff_t n, ptrdiff_t classes, ptrdiff_t *found) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            if (t[i] < 0 || t[i] >= classes)
                return false;
            found[i] = (ptrdiff_t)t[i];
        }
        return true;
    }
};

/* What a signature says, and the loops. */
struct Rules {
    Slot slots[MOST_OPERANDS];
    int inputs, operands, symbols;
    bool any_axes;          // the first symbol is for any number of axes
    bool whole_rows;        // the columns of a row belong together
    bool whole;             // and all rows: some result has none
    double work;
    Body f, d;
    Unary functions[MOST_FUNCTIONS];

    /* Put arrays into a call and make those for results, new references. False if the
     * signature does not allow the arguments, or with an error of Python. */
    bool bind(PyObject *const *given, Task *task, Classes *classes,
              PyObject **results) const {
        PyArrayObject *const *arrays = (PyArrayObject *const *)given;
        PyArrayObject *first = arrays[0];
        if (!PyArray_CheckExact(given[0]) || !suits(first))
            return false;
        const int typenum = PyArray_TYPE(first), ndim = PyArray_NDIM(first);
        const ptrdiff_t size = PyArray_SIZE(first);
        Call &call = task->call;
        call.columns = symbols == 1 ? size : PyArray_DIM(first, ndim - 1);
        if (size == 0)
            return false;
        call.rows = size / call.columns;
        call.functions = functions;
        task->halves = typenum == NPY_HALF;
        task->itemsize = typenum == NPY_DOUBLE ? 8 : 4;
        task->body = typenum == NPY_DOUBLE ? d : f;
        task->inputs = inputs;
        task->operands = operands;
        task->tiled = 0;
        bool joins = !whole_rows;
        for (int i = 0; i < inputs; ++i)
            if (!bind_input(i, arrays[i], first, task, classes, &joins))
                return false;
        bool alike = false;
        if (task->tiled) {
            alike = joins && are_alike(arrays);
            if (alike)
                task->tiled = 0;
            else if (whole || !can_gather(arrays, task))
                return false;
        }
        for (int i = inputs; i < operands; ++i) {
            PyObject *made = result(slots[i].shapes[0], first, typenum, alike);
            results[i - inputs] = made;
            if (!made)
                return false;
            put(i, (PyArrayObject *)made, slots[i].shapes[0], task);
            if (task->halves)
                task->tiled |= 1u << i;
        }
        cut(joins, task);
        return true;
    }

private:
    bool suits(PyArrayObject *first) const {
        const int typenum = PyArray_TYPE(first), ndim = PyArray_NDIM(first);
        if (typenum != NPY_FLOAT && typenum != NPY_DOUBLE
            && (typenum != NPY_HALF || slots[0].type != HALVES_TOO))
            return false;
        return any_axes ? ndim >= symbols - 1 : ndim == symbols;
    }

    static void put(int i, PyArrayObject *array, const Shape &shape, Task *task) {
        Operand &operand = task->call.operands[i];
        operand.data = PyArray_DATA(array);
        operand.column = shape.column;
        operand.row = !shape.row ? 0 : shape.column ? task->call.columns : 1;
        operand.wide = PyArray_ITEMSIZE(array) == sizeof(int64_t);
        task->size_of[i] = PyArray_ITEMSIZE(array);
    }

    bool bind_input(int i, PyArrayObject *array, PyArrayObject *first, Task *task,
                    Classes *classes, bool *joins) const {
        const Type type = slots[i].type;
        if (i && !PyArray_CheckExact((PyObject *)array))
            return false;
        const int typenum = PyArray_TYPE(array);
        if (PyArray_ISBYTESWAPPED(array) || !PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED))
            return false;
        if (type >= LABELS) {
            if (!PyTypeNum_ISSIGNED(typenum) || PyTypeNum_ISFLOAT(typenum)
                || PyArray_ITEMSIZE(array) < 4 || !is_in_c_order(array))
                return false;
        }
        else if (typenum != PyArray_TYPE(first))
            return false;
        else if (task->halves || !is_in_c_order(array))
            task->tiled |= 1u << i;
        const Shape *shape = shape_of(slots[i], array, first);
        if (!shape)
            return false;
        *joins = *joins && shape->whole;
        put(i, array, *shape, task);
        if (type == CLASSES) {
            task->call.operands[i].data =
                (void *)classes->read(array, task->call.columns);
            task->size_of[i] = sizeof(ptrdiff_t);
            return task->call.operands[i].data != nullptr;
        }
        return true;
    }

    /* Which of its shapes an array has, or NULL. */
    const Shape *shape_of(const Slot &slot, PyArrayObject *array,
                          PyArrayObject *first) const {
        for (const Shape *shape = slot.shapes; shape < slot.shapes + slot.n; ++shape)
            if (shape->whole ? array == first || PyArray_SAMESHAPE(array, first)
                             : fits(*shape, array, first))
                return shape;
        return nullptr;
    }

    bool fits(const Shape &shape, PyArrayObject *array, PyArrayObject *first) const {
        const int ndim = PyArray_NDIM(array);
        int own = 0;
        for (int s = 0; s < shape.n; ++s) {
            const int symbol = shape.symbols[s];
            const int n = symbol < 0 ? 1 : axes_of(symbol, first);
            if (own + n > ndim)
                return false;
            for (int k = 0; k < n; ++k, ++own)
                if (PyArray_DIM(array, own) != (
                        symbol < 0 ? 1 : PyArray_DIM(first, begin_of(symbol, first) + k)))
                    return false;
        }
        return own == ndim;
    }

    int axes_of(int symbol, PyArrayObject *first) const {
        return any_axes && symbol == 0 ? PyArray_NDIM(first) - symbols + 1 : 1;
    }

    int begin_of(int symbol, PyArrayObject *first) const {
        return symbol == 0 ? 0 : PyArray_NDIM(first) - symbols + symbol;
    }

    bool are_alike(PyArrayObject *const *arrays) const {
        for (int i = 0; i < inputs; ++i)
            if (slots[i].type >= LABELS || PyArray_TYPE(arrays[i]) == NPY_HALF
                || !fill_alike(arrays[0], arrays[i]))
                return false;
        return true;
    }

    bool can_gather(PyArrayObject *const *arrays, Task *task) const {
        for (int i = 0; i < inputs; ++i)
            if (task->tiled >> i & 1) {
                if (!falls(arrays[i]) || PyArray_NDIM(arrays[i]) > MOST_AXES)
                    return false;
                task->gathered[i] = {
                    PyArray_NDIM(arrays[i]), (const ptrdiff_t *)PyArray_DIMS(arrays[i]),
                    (const ptrdiff_t *)PyArray_STRIDES(arrays[i])};
            }
        return true;
    }

    PyObject *result(const Shape &shape, PyArrayObject *first, int typenum,
                     bool alike) const {
        if (shape.whole && alike)
            return PyArray_NewLikeArray(first, NPY_KEEPORDER, nullptr, 0);
        if (shape.whole)
            return PyArray_EMPTY(PyArray_NDIM(first), PyArray_DIMS(first), typenum, 0);
        npy_intp dims[MOST_AXES];
        int ndim = 0;
        for (int s = 0; s < shape.n; ++s)
            for (int k = 0; k < axes_of(shape.symbols[s], first); ++k)
                dims[ndim++] = PyArray_DIM(first, begin_of(shape.symbols[s], first) + k);
        return PyArray_EMPTY(ndim, dims, typenum, 0);
    }

    void cut(bool joins, Task *task) const {
        Call &call = task->call;
        if (joins) {
            call.columns *= call.rows;
            call.rows = 1;
        }
        task->whole = whole;
        task->by_columns = call.rows == 1 && !whole_rows;
        task->grain = (ptrdiff_t)(GRAIN / work);
        if (!task->by_columns)
            task->grain = task->grain / call.columns + 1;
    }
};

}  // namespace
}  // namespace chainer_fast
