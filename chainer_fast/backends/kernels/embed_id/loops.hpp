/* Rows of matrices, selected by their numbers; a negative one means zeros. */
#pragma once

#include <string.h>

#include <algorithm>
#include <vector>

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::embed_id {
namespace {

/* Room for the numbers of rows; that for a few costs nothing. */
class Numbers {
public:
    npy_intp *room(ptrdiff_t n) {
        if (n <= FEW)
            return few;
        many.resize(n);
        return many.data();
    }

private:
    static constexpr ptrdiff_t FEW = 64;
    npy_intp few[FEW];
    std::vector<npy_intp> many;
};

template <typename T>
void take_rows(const npy_intp *numbers, const T *matrix, T *rows, ptrdiff_t n,
               ptrdiff_t columns) {
    for (ptrdiff_t i = 0; i < n; ++i, rows += columns)
        if (numbers[i] < 0)
            std::fill_n(rows, columns, (T)0);
        else
            memcpy(rows, matrix + numbers[i] * columns, columns * sizeof(T));
}

template <typename T>
CF_CLONES void add_row(const T *row, T *total, ptrdiff_t columns) {
    for (ptrdiff_t j = 0; j < columns; ++j)
        total[j] += row[j];
}

/* Each thread adds to some rows of the matrix, in the order of the numbers. */
template <typename T>
void add_rows(const npy_intp *numbers, const T *rows, T *matrix, ptrdiff_t matrix_rows,
              ptrdiff_t n, ptrdiff_t columns) {
    const ptrdiff_t each = n / (matrix_rows + 1) + 1;
    const ptrdiff_t grain = GRAIN / (each * columns + 1) + 1;
    parallel(matrix_rows, grain, [=](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t i = 0; i < n; ++i)
            if (begin <= numbers[i] && numbers[i] < end) {
                if (columns == 1)
                    matrix[numbers[i]] += rows[i];
                else
                    add_row(rows + i * columns, matrix + numbers[i] * columns, columns);
            }
    });
}

constexpr Loop take_rows_loop = {take_rows<float>, take_rows<double>};
constexpr Loop add_rows_loop = {add_rows<float>, add_rows<double>};

}  // namespace
}  // namespace chainer_fast::embed_id
