/* What a declared loop is called with, and how it is declared.
 *
 * A family keeps its loops in plain C++ files, which do not depend on Python or NumPy.
 * A line of its table names a loop, and its signature declares the arrays and numbers
 * of its arguments (see `signatures.py`). The adapter checks the arguments of each
 * call, makes the results, and shares the work out among threads. */
#pragma once

#include <stddef.h>

#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {

constexpr int MOST_OPERANDS = 8, MOST_NUMBERS = 5, MOST_FUNCTIONS = 3;

/* An array of a call: its elements have no gaps, in C order. */
struct Operand {
    void *data;
    ptrdiff_t row, column;      // elements to the next row, to the next column; or zero
    bool wide;                  // labels of 64 bits, not of 32
};

/* A part of the work: some rows, or some columns of the only row. There are `inner`
 * elements for each column: one, unless columns are of an axis in the middle. Classes are
 * numbers of type ptrdiff_t. */
struct Call {
    ptrdiff_t rows, columns, inner;
    unsigned nearer;            // a bit for each input, where all rows are one part
    bool reordered;             // axes come in the order of memory, not in C order
    const double *numbers;
    const Unary *functions;     // of NumPy, as the declaration names them
    Operand operands[MOST_OPERANDS];

    template <typename T> T *at(int operand, ptrdiff_t row = 0) const {
        return (T *)operands[operand].data + row * operands[operand].row;
    }

    /* Whether NumPy, adding up all but the columns of an input, goes from row to row: in
     * memory, its columns are nearer to each other than anything else. */
    bool sums_go_by_rows(int input) const { return nearer >> input & 1; }

    /* Whether an operand has an element for each column, not one for a row. */
    bool varies(int operand) const { return operands[operand].column != 0; }
};

typedef void (*Body)(const Call &);

/* Work of a loop that shares it out among threads itself. */
constexpr double BY_ITSELF = 0;

/* A line of a family's table, which ends with a line without a name. */
struct Declaration {
    const char *name, *signature;
    Body f, d;                  // for floats and for doubles
    double work;                // for an element, in units of an addition; or BY_ITSELF
    const char *functions[MOST_FUNCTIONS];
};

}  // namespace chainer_fast
