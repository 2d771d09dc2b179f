/* Counts of the library's work, for profiles: functions that replace its own. */
#pragma once
#include <atomic>

#include "chainer_fast/backends/_onednn/library.hpp"

namespace chainer_fast::onednn {

struct Counting {
    std::atomic<long long> calls{0};
    /* The library's own functions; they stay valid, as calls may be in progress. */
    decltype(Library::primitive_execute) execute = nullptr;
    decltype(Library::sgemm) sgemm = nullptr;
};

inline Counting counting;

inline int counted_execute(const Primitive_ *primitive, Stream stream, int n,
                           const Operand *operands) {
    ++counting.calls;
    return counting.execute(primitive, stream, n, operands);
}

inline int counted_sgemm(char transa, char transb, Dim m, Dim n, Dim k, float alpha,
                         const float *a, Dim lda, const float *b, Dim ldb, float beta,
                         float *c, Dim ldc) {
    ++counting.calls;
    return counting.sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Count from now on. */
inline void start_counting(Library &library) {
    if (library.primitive_execute != counted_execute) {
        counting.execute = library.primitive_execute;
        counting.sgemm = library.sgemm;
        library.primitive_execute = counted_execute;
        library.sgemm = counted_sgemm;
    }
}

inline void stop_counting(Library &library) {
    if (library.primitive_execute == counted_execute) {
        library.primitive_execute = counting.execute;
        library.sgemm = counting.sgemm;
    }
}

inline long long counted_calls() { return counting.calls; }

}  // namespace chainer_fast::onednn
