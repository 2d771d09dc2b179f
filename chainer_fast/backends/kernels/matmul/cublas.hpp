/* The functions of cuBLAS that are called by address. */
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace chainer_fast::matmul {

/* Workspace of cuBLAS for the running thread; 0 if it uses its own. */
struct Workspace {
    intptr_t memory;
    size_t size;
};

inline Workspace &workspace() {
    static thread_local Workspace of_thread = {0, 0};
    return of_thread;
}

struct Cublas {
    int (*gemm)(intptr_t handle, int trans_a, int trans_b, int m, int n, int k,
                const void *alpha, intptr_t a, int a_type, int lda, intptr_t b, int b_type,
                int ldb, const void *beta, intptr_t c, int c_type, int ldc, int compute,
                int algorithm) = nullptr;
    int (*set_stream)(intptr_t handle, intptr_t stream) = nullptr;
    int (*set_workspace)(intptr_t handle, intptr_t memory, size_t size) = nullptr;

    /* out = a b, for row-major matrices, or column-major ones if they are transposed.
     * ``kind`` is that of the arrays: half, single, double. cuBLAS uses column-major
     * order: for it all matrices are transposed, so that the factors are swapped.
     * Returns its status. */
    int product(intptr_t handle, intptr_t stream, int kind, bool fast, int rows,
                int columns, int between, intptr_t a, int a_row, bool trans_a, intptr_t b,
                int b_row, bool trans_b, intptr_t out) const {
        const int type = kind == 0 ? 2 : kind - 1;                      // CUDA_R_16F, ...
        const int compute = kind == 2 ? 70 : kind == 1 && fast ? 77 : 68;   // CUBLAS_COMPUTE
        const float one = 1, zero = 0;
        const double wide_one = 1, wide_zero = 0;
        const void *alpha = kind == 2 ? (const void *)&wide_one : &one;
        const void *beta = kind == 2 ? (const void *)&wide_zero : &zero;
        int status = set_stream(handle, stream);    // which resets the workspace
        if (!status && workspace().memory)
            status = set_workspace(handle, workspace().memory, workspace().size);
        if (status)
            return status;
        return gemm(handle, trans_b, trans_a, columns, rows, between, alpha, b, type, b_row,
                    a, type, a_row, beta, out, type, columns, compute, -1);
    }
};

}  // namespace chainer_fast::matmul
