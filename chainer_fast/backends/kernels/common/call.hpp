/* Loops that are called with arrays of NumPy: a module in Cython names the loop, the
 * type of the elements and the arrays. */
#ifndef CHAINER_FAST_CALL_HPP
#define CHAINER_FAST_CALL_HPP

#include <Python.h>
#include <numpy/arrayobject.h>

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {
namespace {

/* None is a null pointer. */
inline void *argument(PyObject *array) {
    return array == Py_None ? nullptr
                            : PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
}

template <typename T> T argument(T other) { return other; }

/* Lets other threads run while it lives, if asked to. */
class Release {
public:
    explicit Release(bool wanted) : thread(wanted ? PyEval_SaveThread() : nullptr) {}
    ~Release() {
        if (thread)
            PyEval_RestoreThread(thread);
    }

private:
    PyThreadState *thread;
};

/* A loop for floats and for doubles. Its first argument is an array, whose size decides
 * whether other threads may run; ``kind`` is 'f' or 'd', the type of all arrays. */
template <typename Floats, typename Doubles>
class Loop {
public:
    constexpr Loop(Floats f, Doubles d) : f(f), d(d) {}

    template <typename... Others>
    auto operator()(char kind, PyObject *first, Others... others) const {
        const auto size = PyArray_SIZE(reinterpret_cast<PyArrayObject *>(first));
        return run(size >= LONG_LOOP, kind, argument(first), argument(others)...);
    }

private:
    Floats f;
    Doubles d;

    template <typename... Arguments>
    auto run(bool is_long, char kind, Arguments... arguments) const {
        const Release release(is_long);
        return by_type(kind, f, d, arguments...);
    }
};

}  // namespace
}  // namespace chainer_fast

#endif
