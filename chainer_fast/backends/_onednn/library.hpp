/* The functions of oneDNN that are called here, looked up when the library is loaded.

   They are declared here, so that a build does not need oneDNN's headers: opaque pointers
   and constants that do not change within version 3. */
#ifndef CHAINER_FAST_ONEDNN_LIBRARY_HPP
#define CHAINER_FAST_ONEDNN_LIBRARY_HPP

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)
#include <dlfcn.h>
#if defined(_OPENMP)
#include <omp.h>
#endif
#endif

namespace chainer_fast {
namespace onednn {

struct Engine_;
struct Stream_;
struct Layout_;
struct Memory_;
struct Plan_;
struct Primitive_;
struct Attributes_;
typedef Engine_ *Engine;
typedef Stream_ *Stream;
typedef Layout_ *Layout;            /* memory descriptor */
typedef Memory_ *Memory;
typedef Plan_ *Plan;                /* primitive descriptor */
typedef Primitive_ *Primitive;
typedef Attributes_ *Attributes;
typedef ptrdiff_t Dim;               /* has 64 bits wherever oneDNN exists */

enum { MAX_DIMS = 12 };

enum Status { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_ARGUMENTS = 2, UNIMPLEMENTED = 3 };
enum { CPU = 1, IN_ORDER = 1, F32 = 3, ANY = 1, SCRATCHPAD_OF_USER = 1 };
enum { FORWARD_TRAINING = 64, CONVOLUTION_DIRECT = 1 };
enum Query {
    QUERY_IMPLEMENTATION = 8,
    QUERY_WEIGHTS = 131,
    QUERY_DIFF_WEIGHTS = 132,
    QUERY_SCRATCHPAD = 136
};
enum Argument {
    SRC = 1, DST = 17, WEIGHTS = 33, BIAS = 41, SCRATCHPAD = 80, DIFF_SRC = 129,
    DIFF_DST = 145, DIFF_WEIGHTS = 161
};

struct Operand {
    int argument;
    Memory memory;
};

struct Version {
    int major, minor, patch;
};

/* The functions of a loaded library, by name. */
struct Symbols {
    struct Symbol {
        void *address;

        template <typename F>
        operator F *() const { return reinterpret_cast<F *>(address); }
    };

    Symbol operator[](const char *name) {
        void *address = nullptr;
#if defined(__linux__)
        if (handle)
            address = dlsym(handle, name);
#endif
        if (!address && !missing)
            missing = name;
        return {address};
    }

    void *handle = nullptr;
    const char *missing = nullptr;
};

struct Library {
    Symbols symbols;
    const Version *(*version)() = symbols["dnnl_version"];
    int (*engine_create)(Engine *, int kind, size_t index) =
        symbols["dnnl_engine_create"];
    int (*stream_create)(Stream *, Engine, unsigned flags) =
        symbols["dnnl_stream_create"];
    int (*stream_destroy)(Stream) = symbols["dnnl_stream_destroy"];
    int (*layout_create)(Layout *, int n, const Dim *dims, int type,
                         const Dim *strides) =
        symbols["dnnl_memory_desc_create_with_strides"];
    int (*layout_create_any)(Layout *, int n, const Dim *dims, int type, int tag) =
        symbols["dnnl_memory_desc_create_with_tag"];
    int (*layout_destroy)(Layout) = symbols["dnnl_memory_desc_destroy"];
    size_t (*layout_size)(const Layout_ *) = symbols["dnnl_memory_desc_get_size"];
    int (*layout_equal)(const Layout_ *, const Layout_ *) =
        symbols["dnnl_memory_desc_equal"];
    int (*memory_create)(Memory *, const Layout_ *, Engine, void *data) =
        symbols["dnnl_memory_create"];
    int (*memory_destroy)(Memory) = symbols["dnnl_memory_destroy"];
    int (*attributes_create)(Attributes *) = symbols["dnnl_primitive_attr_create"];
    int (*attributes_scratchpad)(Attributes, int mode) =
        symbols["dnnl_primitive_attr_set_scratchpad_mode"];
    int (*plan_forward)(Plan *, Engine, int prop, int alg, const Layout_ *src,
                        const Layout_ *weights, const Layout_ *bias,
                        const Layout_ *dst, const Dim *strides, const Dim *dilates,
                        const Dim *padding_l, const Dim *padding_r, Attributes) =
        symbols["dnnl_convolution_forward_primitive_desc_create"];
    int (*plan_backward_data)(Plan *, Engine, int alg, const Layout_ *diff_src,
                              const Layout_ *weights, const Layout_ *diff_dst,
                              const Dim *strides, const Dim *dilates,
                              const Dim *padding_l, const Dim *padding_r,
                              const Plan_ *hint, Attributes) =
        symbols["dnnl_convolution_backward_data_primitive_desc_create"];
    int (*plan_backward_weights)(Plan *, Engine, int alg, const Layout_ *src,
                                 const Layout_ *diff_weights, const Layout_ *diff_bias,
                                 const Layout_ *diff_dst, const Dim *strides,
                                 const Dim *dilates, const Dim *padding_l,
                                 const Dim *padding_r, const Plan_ *hint, Attributes) =
        symbols["dnnl_convolution_backward_weights_primitive_desc_create"];
    int (*plan_reorder)(Plan *, const Layout_ *from, Engine, const Layout_ *to, Engine,
                        Attributes) = symbols["dnnl_reorder_primitive_desc_create"];
    const Layout_ *(*plan_layout)(const Plan_ *, int what, int index) =
        symbols["dnnl_primitive_desc_query_md"];
    int (*plan_query)(const Plan_ *, int what, int index, void *result) =
        symbols["dnnl_primitive_desc_query"];
    int (*plan_destroy)(Plan) = symbols["dnnl_primitive_desc_destroy"];
    int (*primitive_create)(Primitive *, const Plan_ *) =
        symbols["dnnl_primitive_create"];
    int (*primitive_execute)(const Primitive_ *, Stream, int n, const Operand *) =
        symbols["dnnl_primitive_execute"];
    int (*primitive_destroy)(Primitive) = symbols["dnnl_primitive_destroy"];
    int (*sgemm)(char transa, char transb, Dim m, Dim n, Dim k, float alpha,
                 const float *a, Dim lda, const float *b, Dim ldb, float beta, float *c,
                 Dim ldc) = symbols["dnnl_sgemm"];

    Engine engine = nullptr;
    Attributes attributes = nullptr;
};

/* oneDNN's name of a status. */
inline const char *status_name(int status) {
    static const char *const names[] = {
        "dnnl_success", "dnnl_out_of_memory", "dnnl_invalid_arguments",
        "dnnl_unimplemented", "dnnl_last_impl_reached", "dnnl_runtime_error",
        "dnnl_not_required"};
    return status >= 0 && status < 7 ? names[status] : "an unknown status";
}

#if defined(__linux__)

/* Make oneDNN use the OpenMP library of these modules. A wheel contains its own copy,
   under another name than the system's, which oneDNN requests: there would be two
   thread pools, and `config.num_threads` and a fork would affect only one of them. */
inline void share_threads() {
#if defined(_OPENMP)
    Dl_info openmp;
    if (dladdr(reinterpret_cast<void *>(omp_get_max_threads), &openmp))
        dlopen(openmp.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
#endif
}

/* Load the library at a path; return its problem, or null. */
inline const char *open(Library &l, const char *path) {
    share_threads();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return dlerror();
    l = Library{{handle}};
    if (l.symbols.missing)
        return l.symbols.missing;
    if (l.version()->major != 3)
        return "its version is not 3";
    int status = l.engine_create(&l.engine, CPU, 0);
    if (status == SUCCESS)
        status = l.attributes_create(&l.attributes);
    if (status == SUCCESS)
        status = l.attributes_scratchpad(l.attributes, SCRATCHPAD_OF_USER);
    return status == SUCCESS ? nullptr : status_name(status);
}

#else

inline const char *open(Library &, const char *) {
    return "it is only supported on Linux";
}

#endif

}  // namespace onednn
}  // namespace chainer_fast

#endif
