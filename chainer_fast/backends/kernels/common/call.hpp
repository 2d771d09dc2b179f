/* Loops that are called with arrays of NumPy: a module in Cython names the loop, the
 * type of the elements and the arrays. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

/* None is a null pointer. */
inline void *argument(PyObject *array) {
    return array == Py_None ? nullptr
                            : PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
}

template <typename T> T argument(T other) { return other; }

inline bool is_long(PyObject *array) {
    return array != Py_None
        && PyArray_SIZE(reinterpret_cast<PyArrayObject *>(array)) >= LONG_LOOP;
}

template <typename T> bool is_long(T) { return false; }

/* Lets other threads run while it lives, if asked to. */
class Release {
public:
    explicit Release(bool wanted) : thread(wanted ? PyEval_SaveThread() : nullptr) {}
    /* A daemon's thread that comes back after the interpreter has ended is ended here, by
       an exception of the C library. */
    ~Release() noexcept(false) {
        if (thread)
            PyEval_RestoreThread(thread);
    }

private:
    PyThreadState *thread;
};

/* A loop for floats and for doubles; ``kind`` is 'f' or 'd', the type of the arrays. Other
 * threads may run meanwhile if any of these is long. */
template <typename Floats, typename Doubles>
class Loop {
public:
    constexpr Loop(Floats f, Doubles d) : f(f), d(d) {}

    template <typename... Arguments>
    auto operator()(char kind, Arguments... arguments) const {
        const Release release((is_long(arguments) || ...));
        return run(kind, argument(arguments)...);
    }

private:
    Floats f;
    Doubles d;

    template <typename... Arguments>
    auto run(char kind, Arguments... arguments) const {
        return by_type(kind, f, d, arguments...);
    }
};

}  // namespace
}  // namespace chainer_fast
