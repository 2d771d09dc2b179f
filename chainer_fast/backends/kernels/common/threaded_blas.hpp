/* Products of BLAS, shared among the threads that all loops use.
 *
 * OpenBLAS has its own pool, which would compete with that of the loops: a thread that
 * looks out for its next loop takes a processor from a product, and one that waits at
 * the end of a product waits for all. So each part of a large product is computed by a
 * thread of the loops, while OpenBLAS itself works with one. */
#pragma once

#include <stddef.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <string>
#if defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#endif

#include "chainer_fast/backends/kernels/common/blas.hpp"
#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* How to set OpenBLAS's number of threads; null pointers for another BLAS. And how many
 * calls have set it to one, and what it was before. */
struct Control {
    int (*get)();
    void (*set)(int);
    int users = 0, before = 1;
};

#if defined(__linux__)
/* A function of an OpenBLAS, with or without the prefix of SciPy; null if there is none. */
inline void *function_of(dl_phdr_info *library, const std::string &name) {
    if (!strstr(library->dlpi_name, "openblas"))
        return nullptr;
    void *handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return nullptr;
    void *function = dlsym(handle, ("scipy_" + name).c_str());
    if (!function)
        function = dlsym(handle, name.c_str());
    dlclose(handle);
    return function;
}

/* Finds the first OpenBLAS with 64-bit integers, or without, by the names of
 * functions. */
template <bool is_64>
int find_control(dl_phdr_info *library, size_t, void *result) {
    Control *control = (Control *)result;
    const std::string suffix = is_64 ? "_num_threads64_" : "_num_threads";
    control->get = (int (*)())function_of(library, "openblas_get" + suffix);
    control->set = (void (*)(int))function_of(library, "openblas_set" + suffix);
    return control->get && control->set;
}

/* Takes the name of the processor that an OpenBLAS has chosen its code for. */
inline int find_core(dl_phdr_info *library, size_t, void *result) {
    void *core = function_of(library, "openblas_get_corename64_");
    if (!core)
        core = function_of(library, "openblas_get_corename");
    if (core)
        *(std::string *)result = ((const char *(*)())core)();
    return core != nullptr;
}
#endif

/* The processor that an OpenBLAS has chosen its code for; empty for another BLAS. */
inline std::string core_of_openblas() {
    std::string core;
#if defined(__linux__)
    dl_iterate_phdr(find_core, &core);
#endif
    return core;
}

/* That of SciPy, which has no 64-bit integers. */
inline Control control_of_openblas() {
    Control control = {};
#if defined(__linux__)
    if (!dl_iterate_phdr(find_control<false>, &control))
        control = {};
#endif
    return control;
}

/* That of NumPy, which has 64-bit integers in its wheels; or else there is only one. */
inline Control control_of_numpy() {
    Control control = {};
#if defined(__linux__)
    if (!dl_iterate_phdr(find_control<true>, &control))
        control = control_of_openblas();
#endif
    return control;
}

/* While one lives, OpenBLAS works with one thread. */
class OneThread {
public:
    explicit OneThread(Control &given) : control(given.set ? &given : nullptr) {
        const std::lock_guard<std::mutex> lock(mutex());
        if (control && control->users++ == 0) {
            control->before = control->get();
            if (control->before != 1)
                control->set(1);
        }
    }
    ~OneThread() {
        const std::lock_guard<std::mutex> lock(mutex());
        if (control && --control->users == 0 && control->before != 1)
            control->set(control->before);
    }

private:
    Control *control;

    static std::mutex &mutex() { static std::mutex m; return m; }
};

/* Products up to this many multiplications take one thread in OpenBLAS anyway; from the
   other number on they are shared. */
constexpr double ONE_THREAD = 262144, SHARED = 2e6;
/* A part has at least this many rows or columns, and more than this many
   multiplications: OpenBLAS has other code for vectors, and for products of a million
   multiplications or less, which rounds differently. */
constexpr int LEAST_PART = 32;
constexpr double LEAST_SHARE = 1e6;

/* The products of a BLAS, and how its number of threads is set. */
template <typename T>
Gemm gemm = nullptr;
inline Control control;

/* Its product of matrices of a type, shared. */
template <typename T>
void shared_product(char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a,
                    int *lda, void *b, int *ldb, void *beta, void *c, int *ldc) {
    const Gemm multiply = gemm<T>;
    const double work = (double)*m * *n * *k;
    if (work <= ONE_THREAD || !control.set) {
        multiply(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    const OneThread one(control);
    /* Matrices are in Fortran's order. The longer side is cut. */
    const bool columns = *n >= *m;
    const bool a_rows = *ta == 'n' || *ta == 'N', b_rows = *tb == 'n' || *tb == 'N';
    const ptrdiff_t whole = columns ? *n : *m;
    const ptrdiff_t units =
        work < SHARED ? 1 : std::max<ptrdiff_t>(whole / LEAST_PART, 1);
    const ptrdiff_t grain = (ptrdiff_t)(LEAST_SHARE / (work / whole * LEAST_PART)) + 1;
    parallel<Cut::AT_THE_SAME_PLACES>(units, grain, [=](ptrdiff_t begin, ptrdiff_t end) {
        const ptrdiff_t first = begin * LEAST_PART;
        int part = (int)((end == units ? whole : end * LEAST_PART) - first);
        T *pa = (T *)a, *pb = (T *)b, *pc = (T *)c;
        if (columns) {
            pb += b_rows ? first * *ldb : first;
            pc += first * *ldc;
        }
        else {
            pa += a_rows ? first : first * *lda;
            pc += first;
        }
        multiply(ta, tb, columns ? m : &part, columns ? &part : n, k, alpha, pa, lda, pb,
                 ldb, beta, pc, ldc);
    });
}

}  // namespace
}  // namespace chainer_fast
