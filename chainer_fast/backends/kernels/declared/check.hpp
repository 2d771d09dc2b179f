/* From arrays of NumPy to the call of a loop, according to a signature. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include <memory>
#include <new>

#include "chainer_fast/_core/arrays/gapless.hpp"
#include "chainer_fast/backends/kernels/declared/tiles.hpp"

namespace chainer_fast {
namespace {

enum Type { FLOATS, HALVES_TOO, LABELS, CLASSES };

constexpr int MOST_SHAPES = 2, MOST_SYMBOLS = 3;

inline ptrdiff_t distance(PyArrayObject *array, int axis) {
    const ptrdiff_t step = PyArray_STRIDE(array, axis);
    return step < 0 ? -step : step;
}

/* A shape in symbols of the first array; -1 is an axis of length one. */
struct Shape {
    int n, symbols[MOST_SYMBOLS], times[MOST_SYMBOLS];
    bool whole;             // that of the first array
};

/* The axes of the first array for each symbol: each up to where the next begins. */
struct Axes {
    int begin[MOST_SYMBOLS + 1];
    ptrdiff_t lengths[MOST_SYMBOLS];

    bool is_middle(int axis) const { return begin[1] <= axis && axis < begin[2]; }

    /* Whether those on either side of the middle come in order of their strides. */
    bool others_fall(PyArrayObject *array) const {
        ptrdiff_t last = PTRDIFF_MAX;
        for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
            if (is_middle(axis) || PyArray_DIM(array, axis) == 1)
                continue;
            if (distance(array, axis) > last)
                return false;
            last = distance(array, axis);
        }
        return true;
    }

    /* Whether elements of the axes in the middle are nearest to each other in memory. */
    bool are_nearer(PyArrayObject *array) const {
        ptrdiff_t middle = PTRDIFF_MAX, others = PTRDIFF_MAX;
        for (int axis = 0; axis < PyArray_NDIM(array); ++axis)
            if (PyArray_DIM(array, axis) != 1) {
                ptrdiff_t &nearest = is_middle(axis) ? middle : others;
                nearest = std::min(nearest, distance(array, axis));
            }
        return middle < others;
    }

    /* Measure an array in the order of its memory, which has no gaps: what lies before
     * the axes in the middle, and what lies behind. False if there are gaps, or if these
     * axes are not in order or not together. */
    bool follow(PyArrayObject *array) {
        ptrdiff_t covered = PyArray_ITEMSIZE(array), found[MOST_SYMBOLS] = {1, 1, 1};
        const ptrdiff_t all = covered * PyArray_SIZE(array);
        int last = begin[2], place = 2;
        while (covered < all) {
            const int axis = axis_of_stride(array, covered);
            if (axis < 0)
                return false;
            if (is_middle(axis)) {
                if (place == 0 || axis >= last)
                    return false;
                place = 1;
                last = axis;
            }
            else if (place == 1)
                place = 0;
            found[place] *= PyArray_DIM(array, axis);
            covered *= PyArray_DIM(array, axis);
        }
        if (place == 2)         /* the middle has one element */
            std::swap(found[0], found[2]);
        std::copy(found, found + MOST_SYMBOLS, lengths);
        return true;
    }

    void measure(PyArrayObject *first, int symbols) {
        for (int s = 0; s < MOST_SYMBOLS; ++s) {
            lengths[s] = 1;
            for (int axis = begin[s]; s < symbols && axis < begin[s + 1]; ++axis)
                lengths[s] *= PyArray_DIM(first, axis);
        }
    }
};

struct Slot {
    Type type;
    int n;
    Shape shapes[MOST_SHAPES];
};

inline bool is_in_c_order(PyArrayObject *array) {
    return PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS);
}

/* Whether strides fall from axis to axis: NumPy's results are in C order then. Where
 * elements are repeated, sums are as well, but not copies. */
inline bool falls(PyArrayObject *array, bool copied) {
    ptrdiff_t last = PTRDIFF_MAX;
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
        const ptrdiff_t stride = distance(array, axis);
        if (PyArray_DIM(array, axis) == 1 || (stride == 0 && !copied))
            continue;
        if (stride > last)
            return false;
        last = stride;
    }
    return true;
}

/* Whether an array is gapless and has the order of a gapless one of its shape and type. */
inline bool is_like(PyArrayObject *array, PyArrayObject *first) {
    return same_order((PyObject *)array, (PyObject *)first)
        && fills_memory((PyObject *)array);
}

/* New references, given back at the end. */
struct Held {
    PyObject *each[MOST_OPERANDS];
    int n = 0;

    ~Held() {
        while (n)
            Py_DECREF(each[--n]);
    }

    /* False for none, with an error of Python. */
    bool add(PyObject *one) {
        if (one)
            each[n++] = one;
        return one != nullptr;
    }
};

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

/* A parsed signature, and the loops. */
struct Rules {
    Slot slots[MOST_OPERANDS];
    int inputs, operands, symbols;
    bool any_axes;          // the first symbol is for any number of axes
    bool around;            // the axes of the second symbol are an argument
    bool images;            // or it is the axis of channels, which may be last in memory
    bool whole_rows;        // the columns of a row belong together
    bool whole;             // and all rows: some result has none
    bool without_middle;    // some array has the axes around the middle alone
    bool doubles;           // some array has an axis twice as long, and is in C order
    double work;
    Body f, d;
    Unary functions[MOST_FUNCTIONS];
    PyObject *(*in_order_of)(PyObject *, PyObject *);   // of `common/layout`

    /* Put arrays into a call and make those for results, new references; arrays that
     * were copied are kept. False if the signature does not allow the arguments, or with
     * an error of Python. */
    bool bind(PyObject *const *given, Axes axes, Task *task, Classes *classes,
              Held *results, Held *kept) const {
        PyArrayObject *const *arrays = (PyArrayObject *const *)given;
        PyArrayObject *first = arrays[0];
        if (!PyArray_CheckExact(given[0]) || !suits(first, &axes))
            return false;
        const int typenum = PyArray_TYPE(first);
        Call &call = task->call;
        call.functions = functions;
        call.nearer = 0;
        call.reordered = false;
        task->halves = typenum == NPY_HALF;
        task->itemsize = typenum == NPY_DOUBLE ? 8 : 4;
        task->body = typenum == NPY_DOUBLE ? d : f;
        task->inputs = inputs;
        task->operands = operands;
        task->tiled = 0;
        set_lengths(axes, &call);
        bool joins = !whole_rows;
        for (int i = 0; i < inputs; ++i)
            if (!bind_input(i, arrays[i], first, axes, task, classes, &joins))
                return false;
        if (task->tiled && !set_order(arrays, joins, axes, task, kept))
            return false;
        for (int i = inputs; i < operands; ++i) {
            const Shape &shape = slots[i].shapes[0];
            PyObject *made = result(shape, first, axes, typenum, call.reordered);
            if (!results->add(made))
                return false;
            put(i, (PyArrayObject *)made, shape, axes, task);
            if (task->halves)
                task->tiled |= 1u << i;
        }
        cut(joins, task);
        return true;
    }

private:
    /* Whether the signature allows the first array; finds the axes of symbols. */
    bool suits(PyArrayObject *first, Axes *axes) const {
        const int typenum = PyArray_TYPE(first), ndim = PyArray_NDIM(first);
        if (typenum != NPY_FLOAT && typenum != NPY_DOUBLE
            && (typenum != NPY_HALF || slots[0].type != HALVES_TOO))
            return false;
        if (!around) {
            if (any_axes ? ndim < symbols - 1 : ndim != symbols)
                return false;
            axes->begin[0] = 0;
            for (int s = 1; s <= symbols; ++s)
                axes->begin[s] = ndim - symbols + s;
        }
        axes->measure(first, symbols);
        return axes->lengths[0] * axes->lengths[1] * axes->lengths[2] != 0;
    }

    void set_lengths(const Axes &axes, Call *call) const {
        call->rows = symbols == 1 ? 1 : axes.lengths[0];
        call->columns = axes.lengths[symbols == 1 ? 0 : 1];
        call->inner = axes.lengths[2];
    }

    /* Find how a loop can read arrays that are not in C order, or halves: in the order of
     * the memory of the first, in tiles, or as copies. False if it cannot. */
    bool set_order(PyArrayObject *const *arrays, bool joins, Axes &axes, Task *task,
                   Held *kept) const {
        PyArrayObject *first = arrays[0];
        const Axes as_given = axes;
        bool in_order = !task->halves && !doubles && !is_in_c_order(first)
            && (joins ? are_alike(arrays) : around && axes.follow(first));
        /* Arrays without the middle are read and made in C order. */
        if (in_order && ((images && axes.lengths[2] != 1)
                         || (without_middle && !as_given.others_fall(first)))) {
            axes = as_given;
            in_order = false;
        }
        if (!in_order && !whole)
            return can_gather(arrays, task);
        if (task->halves)
            return false;
        task->call.reordered = in_order;
        set_lengths(axes, &task->call);
        for (int i = 0; i < inputs; ++i) {
            if (slots[i].type == CLASSES)
                continue;       /* which are copied already */
            const Shape &shape = *shape_of(slots[i], arrays[i], first, axes);
            PyArrayObject *array = arrays[i];
            const bool like_first = in_order && shape.whole;
            if (like_first ? !is_like(array, first) : !is_in_c_order(array)) {
                PyObject *copy = like_first
                    ? in_order_of((PyObject *)array, (PyObject *)first)
                    : PyArray_NewCopy(array, NPY_CORDER);
                if (!kept->add(copy))
                    return false;
                array = (PyArrayObject *)copy;
            }
            put(i, array, shape, axes, task);
        }
        task->tiled = 0;
        return true;
    }

    void put(int i, PyArrayObject *array, const Shape &shape, const Axes &axes,
             Task *task) const {
        Operand &operand = task->call.operands[i];
        const ptrdiff_t *lengths = axes.lengths;
        if (shape.whole) {      /* the most common one */
            const ptrdiff_t row = lengths[1] * lengths[2];
            operand.row = symbols == 1 ? 0 : row;
            operand.column = lengths[2];
            task->elements[i] = lengths[0] * row;
        }
        else {
            ptrdiff_t steps[MOST_SYMBOLS] = {}, step = 1;
            for (int s = shape.n - 1; s >= 0; --s)
                if (shape.symbols[s] >= 0) {
                    steps[shape.symbols[s]] = step;
                    step *= shape.times[s] * lengths[shape.symbols[s]];
                }
            operand.row = symbols == 1 ? 0 : steps[0];
            operand.column = steps[symbols == 1 ? 0 : 1];
            task->elements[i] = step;
        }
        operand.data = PyArray_DATA(array);
        operand.wide = PyArray_ITEMSIZE(array) == sizeof(int64_t);
        task->size_of[i] = PyArray_ITEMSIZE(array);
    }

    bool bind_input(int i, PyArrayObject *array, PyArrayObject *first, const Axes &axes,
                    Task *task, Classes *classes, bool *joins) const {
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
        const Shape *shape = shape_of(slots[i], array, first, axes);
        if (!shape)
            return false;
        *joins = *joins && shape->whole;
        put(i, array, *shape, axes, task);
        if (whole && around && shape->whole && axes.are_nearer(array))
            task->call.nearer |= 1u << i;
        if (type == CLASSES) {
            task->call.operands[i].data =
                (void *)classes->read(array, task->call.columns);
            task->size_of[i] = sizeof(ptrdiff_t);
            return task->call.operands[i].data != nullptr;
        }
        return true;
    }

    /* Which of its shapes an array has, or NULL. */
    static const Shape *shape_of(const Slot &slot, PyArrayObject *array,
                                 PyArrayObject *first, const Axes &axes) {
        for (const Shape *shape = slot.shapes; shape < slot.shapes + slot.n; ++shape)
            if (shape->whole ? array == first || PyArray_SAMESHAPE(array, first)
                             : fits(*shape, array, first, axes))
                return shape;
        return nullptr;
    }

    static bool fits(const Shape &shape, PyArrayObject *array, PyArrayObject *first,
                     const Axes &axes) {
        const int ndim = PyArray_NDIM(array);
        int own = 0;
        for (int s = 0; s < shape.n; ++s) {
            const int symbol = shape.symbols[s];
            if (symbol < 0) {
                if (own == ndim || PyArray_DIM(array, own++) != 1)
                    return false;
                continue;
            }
            for (int axis = axes.begin[symbol]; axis < axes.begin[symbol + 1]; ++axis)
                if (own == ndim || PyArray_DIM(array, own++)
                        != shape.times[s] * PyArray_DIM(first, axis))
                    return false;
        }
        return own == ndim;
    }

    bool are_alike(PyArrayObject *const *arrays) const {
        for (int i = 0; i < inputs; ++i)
            if (slots[i].type >= LABELS || PyArray_TYPE(arrays[i]) == NPY_HALF
                || !is_like(arrays[i], arrays[0]))
                return false;
        return true;
    }

    bool can_gather(PyArrayObject *const *arrays, Task *task) const {
        for (int i = 0; i < inputs; ++i)
            if (task->tiled >> i & 1) {
                if (!falls(arrays[i], task->halves) || PyArray_NDIM(arrays[i]) > MOST_AXES)
                    return false;
                task->gathered[i] = {
                    PyArray_NDIM(arrays[i]), (const ptrdiff_t *)PyArray_DIMS(arrays[i]),
                    (const ptrdiff_t *)PyArray_STRIDES(arrays[i])};
                if (is_in_c_order(arrays[i]))
                    task->gathered[i] = {1, task->elements + i, task->size_of + i};
            }
        return true;
    }

    static PyObject *result(const Shape &shape, PyArrayObject *first, const Axes &axes,
                            int typenum, bool alike) {
        if (shape.whole && alike)
            return PyArray_NewLikeArray(first, NPY_KEEPORDER, nullptr, 0);
        npy_intp dims[MOST_AXES];
        int ndim = 0;
        for (int s = 0; s < shape.n; ++s)
            for (int axis = axes.begin[shape.symbols[s]];
                    axis < axes.begin[shape.symbols[s] + 1]; ++axis)
                dims[ndim++] = shape.times[s] * PyArray_DIM(first, axis);
        return PyArray_EMPTY(ndim, dims, typenum, 0);
    }

    void cut(bool joins, Task *task) const {
        Call &call = task->call;
        if (joins) {
            call.columns *= call.rows;
            call.rows = 1;
        }
        task->whole = whole || (work == BY_ITSELF && !task->tiled);
        if (task->whole)
            return;
        task->by_columns = call.rows == 1 && !whole_rows;
        task->side_by_side = work == BY_ITSELF && !task->by_columns;
        task->grain = work == BY_ITSELF ? GRAIN : (ptrdiff_t)(GRAIN / work);
        if (!task->by_columns)
            task->grain = task->grain / (call.columns * call.inner) + 1;
    }
};

}  // namespace
}  // namespace chainer_fast
