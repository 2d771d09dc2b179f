/* The functions of cuBLAS that the package calls by their addresses. */
#include <stddef.h>

extern "C" {

/* Set by cublas.py. */
int (*host_gemm)(void*, int, int, int, int, int, const void*, const void*, int, int,
                 const void*, int, int, const void*, void*, int, int, int, int);
int (*host_batched)(void*, int, int, int, int, int, const void*, const void*, int, int,
                    long long, const void*, int, int, long long, const void*, void*, int,
                    int, long long, int, int, int);
int (*host_set_stream)(void* handle, void* stream);
int (*host_set_workspace)(void* handle, void* memory, size_t size);

int cublasGemmEx(
        void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
        const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
        const void* beta, void* c, int c_type, int ldc, int compute, int algorithm) {
    return host_gemm(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, b, b_type,
                     ldb, beta, c, c_type, ldc, compute, algorithm);
}

int cublasGemmStridedBatchedEx(
        void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
        const void* a, int a_type, int lda, long long a_step, const void* b, int b_type,
        int ldb, long long b_step, const void* beta, void* c, int c_type, int ldc,
        long long c_step, int batch, int compute, int algorithm) {
    return host_batched(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, a_step,
                        b, b_type, ldb, b_step, beta, c, c_type, ldc, c_step, batch,
                        compute, algorithm);
}

int cublasSetStream_v2(void* handle, void* stream) {
    return host_set_stream(handle, stream);
}

int cublasSetWorkspace_v2(void* handle, void* memory, size_t size) {
    return host_set_workspace(handle, memory, size);
}

}
