/* The functions of oneDNN that are called here, looked up when the library is opened.

   They are declared here rather than in oneDNN's headers, which a build would have to
   find: pointers to opaque things and numbers that do not change within version 3. */
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
typedef ptrdiff_t Dim;               /* of 64 bits, where there is oneDNN */

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

struct Library {
    void *handle;
    const Version *(*version)();
    int (*engine_create)(Engine *, int kind, size_t index);
    int (*stream_create)(Stream *, Engine, unsigned flags);
    int (*stream_destroy)(Stream);
    int (*layout_create)(Layout *, int n, const Dim *dims, int type,
                         const Dim *strides);
    int (*layout_create_any)(Layout *, int n, const Dim *dims, int type, int tag);
    int (*layout_destroy)(Layout);
    size_t (*layout_size)(const Layout_ *);
    int (*layout_equal)(const Layout_ *, const Layout_ *);
    int (*memory_create)(Memory *, const Layout_ *, Engine, void *data);
    int (*memory_destroy)(Memory);
    int (*attributes_create)(Attributes *);
    int (*attributes_scratchpad)(Attributes, int mode);
    int (*plan_forward)(Plan *, Engine, int prop, int alg, const Layout_ *src,
                        const Layout_ *weights, const Layout_ *bias,
                        const Layout_ *dst, const Dim *strides, const Dim *dilates,
                        const Dim *padding_l, const Dim *padding_r, Attributes);
    int (*plan_backward_data)(Plan *, Engine, int alg, const Layout_ *diff_src,
                              const Layout_ *weights, const Layout_ *diff_dst,
                              const Dim *strides, const Dim *dilates,
                              const Dim *padding_l, const Dim *padding_r,
                              const Plan_ *hint, Attributes);
    int (*plan_backward_weights)(Plan *, Engine, int alg, const Layout_ *src,
                                 const Layout_ *diff_weights, const Layout_ *diff_bias,
                                 const Layout_ *diff_dst, const Dim *strides,
                                 const Dim *dilates, const Dim *padding_l,
                                 const Dim *padding_r, const Plan_ *hint, Attributes);
    int (*plan_reorder)(Plan *, const Layout_ *from, Engine, const Layout_ *to, Engine,
                        Attributes);
    const Layout_ *(*plan_layout)(const Plan_ *, int what, int index);
    int (*plan_query)(const Plan_ *, int what, int index, void *result);
    int (*plan_destroy)(Plan);
    int (*primitive_create)(Primitive *, const Plan_ *);
    int (*primitive_execute)(const Primitive_ *, Stream, int n, const Operand *);
    int (*primitive_destroy)(Primitive);
    int (*sgemm)(char transa, char transb, Dim m, Dim n, Dim k, float alpha,
                 const float *a, Dim lda, const float *b, Dim ldb, float beta, float *c,
                 Dim ldc);

    Engine engine;
    Attributes attributes;
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

namespace {

class Symbols {
public:
    explicit Symbols(void *handle) : handle(handle), missing(nullptr) {}

    template <typename F>
    void find(F *&function, const char *name) {
        void *found = dlsym(handle, name);
        if (!found && !missing)
            missing = name;
        function = reinterpret_cast<F *>(found);
    }

    void *handle;
    const char *missing;
};

}  // namespace

/* Make oneDNN use the OpenMP of these modules. A wheel has a copy of its own, under another
   name than the system's, which oneDNN asks for: there would be two pools of threads, and
   `config.num_threads` and a fork would change only one of them. */
inline void share_threads() {
#if defined(_OPENMP)
    Dl_info openmp;
    if (dladdr(reinterpret_cast<void *>(omp_get_max_threads), &openmp))
        dlopen(openmp.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
#endif
}

/* Open the library of that path; return what is wrong with it, or null. */
inline const char *open(Library &l, const char *path) {
    share_threads();
    l.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l.handle)
        return dlerror();
    Symbols symbols(l.handle);
    symbols.find(l.version, "dnnl_version");
    symbols.find(l.engine_create, "dnnl_engine_create");
    symbols.find(l.stream_create, "dnnl_stream_create");
    symbols.find(l.stream_destroy, "dnnl_stream_destroy");
    symbols.find(l.layout_create, "dnnl_memory_desc_create_with_strides");
    symbols.find(l.layout_create_any, "dnnl_memory_desc_create_with_tag");
    symbols.find(l.layout_destroy, "dnnl_memory_desc_destroy");
    symbols.find(l.layout_size, "dnnl_memory_desc_get_size");
    symbols.find(l.layout_equal, "dnnl_memory_desc_equal");
    symbols.find(l.memory_create, "dnnl_memory_create");
    symbols.find(l.memory_destroy, "dnnl_memory_destroy");
    symbols.find(l.attributes_create, "dnnl_primitive_attr_create");
    symbols.find(l.attributes_scratchpad, "dnnl_primitive_attr_set_scratchpad_mode");
    symbols.find(l.plan_forward, "dnnl_convolution_forward_primitive_desc_create");
    symbols.find(l.plan_backward_data,
                 "dnnl_convolution_backward_data_primitive_desc_create");
    symbols.find(l.plan_backward_weights,
                 "dnnl_convolution_backward_weights_primitive_desc_create");
    symbols.find(l.plan_reorder, "dnnl_reorder_primitive_desc_create");
    symbols.find(l.plan_layout, "dnnl_primitive_desc_query_md");
    symbols.find(l.plan_query, "dnnl_primitive_desc_query");
    symbols.find(l.plan_destroy, "dnnl_primitive_desc_destroy");
    symbols.find(l.primitive_create, "dnnl_primitive_create");
    symbols.find(l.primitive_execute, "dnnl_primitive_execute");
    symbols.find(l.primitive_destroy, "dnnl_primitive_destroy");
    symbols.find(l.sgemm, "dnnl_sgemm");
    if (symbols.missing)
        return symbols.missing;
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
    return "it is opened under Linux only";
}

#endif

}  // namespace onednn
}  // namespace chainer_fast

#endif
