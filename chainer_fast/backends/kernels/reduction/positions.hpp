/* Positions of the largest or smallest elements of rows, as NumPy finds them. */
#pragma once

#include <string.h>

#include <vector>

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::reduction {
namespace {

/* Rows of a gapless array in C order, long ones in parts. */
inline void find_in_rows(PyObject *object, ptrdiff_t n, bool smallest,
                         npy_intp *places) {
    constexpr ptrdiff_t PART = 8192;
    PyArrayObject *array = (PyArrayObject *)object;
    const PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(PyArray_DESCR(array));
    PyArray_ArgFunc *find = smallest ? functions->argmin : functions->argmax;
    const char *x = (const char *)PyArray_DATA(array);
    const ptrdiff_t rows = PyArray_SIZE(array) / n, parts = (n + PART - 1) / PART;
    const ptrdiff_t bytes = PyArray_ITEMSIZE(array);
    std::vector<npy_intp> of_parts(parts > 1 ? rows * parts : 0);
    std::vector<char> largest(parts * bytes);
    npy_intp *found = parts > 1 ? of_parts.data() : places;
    const Release release(is_long(object));
    parallel(rows * parts, GRAIN / std::min(n, PART) + 1,
             [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i) {
            const ptrdiff_t at = i % parts * PART;
            find((void *)(x + (i / parts * n + at) * bytes), std::min(PART, n - at),
                 found + i, array);
            found[i] += at;
        }
    });
    for (ptrdiff_t i = 0; parts > 1 && i < rows; ++i, found += parts, x += n * bytes) {
        for (ptrdiff_t k = 0; k < parts; ++k)
            memcpy(&largest[k * bytes], x + found[k] * bytes, bytes);
        npy_intp part;
        find(largest.data(), parts, &part, array);
        places[i] = found[part];
    }
}

}  // namespace
}  // namespace chainer_fast::reduction
