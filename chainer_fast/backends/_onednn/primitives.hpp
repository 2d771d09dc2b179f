/* Convolutions of oneDNN: planned once for each shape, kept, and executed.

   Images and results have channels last in memory. Filters are in C order outside and in
   an order of oneDNN's choice inside: they are reordered in between. */
#ifndef CHAINER_FAST_ONEDNN_PRIMITIVES_HPP
#define CHAINER_FAST_ONEDNN_PRIMITIVES_HPP

#include <string.h>

#include <list>
#include <memory>
#include <unordered_map>

#include "chainer_fast/_cpu/aligned.hpp"
#include "chainer_fast/backends/_onednn/library.hpp"
#include "chainer_fast/backends/kernels/convolution/tiles.hpp"

namespace chainer_fast {
namespace onednn {

using convolution::CONVOLVE;
using convolution::CORRELATE;
using convolution::Convolution;
using convolution::TRANSPOSE;
using convolution::Task;

enum { MAX_AXES = 3 };

/* One convolution, with all properties that determine a plan. There is no padding
   between these numbers, so that the bytes can be compared. */
struct Described : Convolution {
    Dim task, bias, threads;

    bool operator==(const Described &other) const {
        return memcmp(this, &other, sizeof *this) == 0;
    }
};

inline Described described(const Convolution &c, Task task, bool bias, int threads) {
    Described d;
    static_cast<Convolution &>(d) = c;
    d.task = task;
    d.bias = bias;
    d.threads = threads;
    return d;
}

struct Hash {
    size_t operator()(const Described &c) const {
        const Dim *numbers = reinterpret_cast<const Dim *>(&c);
        uint64_t hash = 0;
        for (size_t i = 0; i < sizeof c / sizeof *numbers; i++)
            hash = (hash ^ (uint64_t)numbers[i]) * 0x9E3779B97F4A7C15u + (hash >> 29);
        return (size_t)hash;
    }
};

/* An owned object of oneDNN. */
template <typename T>
class Owned {
public:
    explicit Owned(int (*destroy)(T)) : destroy(destroy) {}
    ~Owned() {
        if (thing)
            destroy(thing);
    }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;

    operator T() const { return thing; }
    T *operator&() { return &thing; }

private:
    int (*destroy)(T);
    T thing = nullptr;
};

/* The queue of a thread; executions on the processor are finished when they return. */
struct Queue {
    explicit Queue(const Library &l)
        : stream(l.stream_destroy), status(l.stream_create(&stream, l.engine, IN_ORDER)) {
    }

    Owned<Stream> stream;
    const int status;
};

/* A convolution planned by oneDNN. */
class Planned {
public:
    Planned(const Library &library, const Described &c) : l(library), c(c) {
        status = plan();
    }

    /* Compute one of the three from the others. Filters are in C order, or
       already prepared. */
    int run(void *images, void *filters, void *places, void *bias,
            bool are_prepared) const;

    /* Whether filters are reordered before use, their size in bytes afterwards,
       whether another convolution uses the same order, and the reordering. */
    bool prepares() const { return reorder && c.task != CORRELATE; }
    size_t prepared_size() const { return chosen_size; }
    bool prepares_like(const Planned &other) const {
        return l.layout_equal(chosen, other.chosen) != 0;
    }
    int prepare(void *filters, void *prepared) const;

    int status = SUCCESS;

private:
    int plan();
    int layout(Layout *out, Dim channels, const Dim *lengths) const;
    int filters_layout(Layout *out, bool any) const;
    int plan_reorder();
    int change(const Layout_ *from, void *source, const Layout_ *to,
               void *target) const;
    const Queue &queue() const;

    const Library &l;
    const Described c;
    Owned<Layout> images{l.layout_destroy}, places{l.layout_destroy};
    Owned<Layout> plain{l.layout_destroy}, bias{l.layout_destroy};
    Owned<Plan> plan_{l.plan_destroy};
    Owned<Primitive> primitive{l.primitive_destroy}, reorder{l.primitive_destroy};
    const Layout_ *chosen = nullptr, *scratchpad = nullptr;     /* of the plan */
    size_t chosen_size = 0, scratchpad_size = 0;
};

/* Images or results: channels second in shape and last in memory. */
inline int Planned::layout(Layout *out, Dim channels, const Dim *lengths) const {
    Dim dims[MAX_AXES + 2] = {c.images, channels}, strides[MAX_AXES + 2] = {0, 1};
    Dim step = channels;
    for (Dim j = c.w.nd - 1; j >= 0; j--) {
        dims[2 + j] = lengths[j];
        strides[2 + j] = step;
        step *= lengths[j];
    }
    strides[0] = step;
    return l.layout_create(out, (int)c.w.nd + 2, dims, F32, strides);
}

inline int Planned::filters_layout(Layout *out, bool any) const {
    Dim dims[MAX_AXES + 3], strides[MAX_AXES + 3];
    int n = 0;
    if (c.groups > 1)
        dims[n++] = c.groups;
    dims[n++] = c.filters;
    dims[n++] = c.channels;
    for (Dim j = 0; j < c.w.nd; j++)
        dims[n++] = c.w.ksize[j];
    Dim step = 1;
    for (int j = n - 1; j >= 0; j--) {
        strides[j] = step;
        step *= dims[j];
    }
    return any ? l.layout_create_any(out, n, dims, F32, ANY)
               : l.layout_create(out, n, dims, F32, strides);
}

inline int Planned::plan() {
    Dim gaps[MAX_AXES], after[MAX_AXES];
    for (Dim j = 0; j < c.w.nd; j++) {
        gaps[j] = c.w.dilate[j] - 1;
        after[j] = (c.w.outs[j] - 1) * c.w.stride[j] + (c.w.ksize[j] - 1) * c.w.dilate[j]
                   + 1 - c.w.length[j] - c.w.pad[j];
        /* oneDNN requires the exact number of positions. */
        if (after[j] + c.w.stride[j] < 0)
            return UNIMPLEMENTED;
    }
    Owned<Layout> any(l.layout_destroy);
    Owned<Plan> forward(l.plan_destroy);
    const char *name = nullptr;
    const Dim channels = c.groups * c.channels, filters = c.groups * c.filters, one = 1;
    int s = layout(&images, channels, c.w.length);
    if (s == SUCCESS)
        s = layout(&places, filters, c.w.outs);
    if (s == SUCCESS)
        s = filters_layout(&plain, false);
    if (s == SUCCESS)
        s = filters_layout(&any, true);
    if (s == SUCCESS && c.bias)
        s = l.layout_create(&bias, 1, &filters, F32, &one);
    if (s == SUCCESS)
        s = l.plan_forward(c.task == CONVOLVE ? &plan_ : &forward, l.engine,
                           FORWARD_TRAINING, CONVOLUTION_DIRECT, images, any, bias,
                           places, c.w.stride, gaps, c.w.pad, after, l.attributes);
    if (s == SUCCESS && c.task == TRANSPOSE)
        s = l.plan_backward_data(&plan_, l.engine, CONVOLUTION_DIRECT, images, any,
                                 places, c.w.stride, gaps, c.w.pad, after, forward,
                                 l.attributes);
    else if (s == SUCCESS && c.task == CORRELATE)
        s = l.plan_backward_weights(&plan_, l.engine, CONVOLUTION_DIRECT, images, any,
                                    nullptr, places, c.w.stride, gaps, c.w.pad, after,
                                    forward, l.attributes);
    if (s == SUCCESS)
        s = l.plan_query(plan_, QUERY_IMPLEMENTATION, 0, &name);
    if (s != SUCCESS)
        return s;
    /* The reference of oneDNN is many times slower than any other code. */
    if (strncmp(name, "ref", 3) == 0)
        return UNIMPLEMENTED;
    chosen = l.plan_layout(
        plan_, c.task == CORRELATE ? QUERY_DIFF_WEIGHTS : QUERY_WEIGHTS, 0);
    scratchpad = l.plan_layout(plan_, QUERY_SCRATCHPAD, 0);
    if (scratchpad)
        scratchpad_size = l.layout_size(scratchpad);
    s = l.primitive_create(&primitive, plan_);
    return s == SUCCESS && !l.layout_equal(plain, chosen) ? plan_reorder() : s;
}

inline int Planned::plan_reorder() {
    Owned<Plan> plan(l.plan_destroy);
    const bool back = c.task == CORRELATE;
    chosen_size = l.layout_size(chosen);
    const int s = l.plan_reorder(&plan, back ? chosen : plain, l.engine,
                                 back ? plain : chosen, l.engine, l.attributes);
    return s == SUCCESS ? l.primitive_create(&reorder, plan) : s;
}

namespace {

/* Memory that a thread reuses, unless it is large. */
class Workspace {
public:
    enum { KEPT = 64 << 20, ALIGNMENT = 64 };

    ~Workspace() { free_aligned(data); }

    void *get(size_t wanted) {
        if (wanted > size) {
            free_aligned(data);
            size = 0;
            data = take_aligned(ALIGNMENT, (wanted + 4095) / 4096 * 4096);
            if (data)
                size = wanted;
        }
        return data;
    }

    void trim() {
        if (size > KEPT) {
            free_aligned(data);
            data = nullptr;
            size = 0;
        }
    }

private:
    void *data = nullptr;
    size_t size = 0;
};

/* The arguments of one execution. */
class Operands {
public:
    explicit Operands(const Library &l) : l(l) {}
    ~Operands() {
        for (int i = 0; i < n; i++)
            l.memory_destroy(all[i].memory);
    }

    void add(int argument, const Layout_ *layout, void *data) {
        if (status != SUCCESS)
            return;
        all[n].argument = argument;
        status = l.memory_create(&all[n].memory, layout, l.engine, data);
        n += status == SUCCESS;
    }

    int execute(Primitive primitive, const Queue &queue) {
        if (status == SUCCESS)
            status = queue.status;
        return status == SUCCESS ? l.primitive_execute(primitive, queue.stream, n, all)
                                 : status;
    }

private:
    const Library &l;
    Operand all[5];
    int n = 0, status = SUCCESS;
};

inline size_t rounded(size_t size) {
    return (size + 63) / 64 * 64;
}

}  // namespace

inline const Queue &Planned::queue() const {
    static thread_local Queue queue(l);
    return queue;
}

inline int Planned::change(const Layout_ *from, void *source, const Layout_ *to,
                           void *target) const {
    Operands operands(l);
    operands.add(SRC, from, source);
    operands.add(DST, to, target);
    return operands.execute(reorder, queue());
}

inline int Planned::prepare(void *filters, void *prepared) const {
    return change(plain, filters, chosen, prepared);
}

inline int Planned::run(void *images_, void *filters_, void *places_, void *bias_,
                        bool are_prepared) const {
    static thread_local Workspace workspace;
    const bool reorders = reorder && !are_prepared;
    const size_t own = reorders ? rounded(chosen_size) : 0;
    char *space = nullptr;
    if (own + scratchpad_size) {
        space = (char *)workspace.get(own + scratchpad_size);
        if (!space)
            return OUT_OF_MEMORY;
    }
    void *chosen_ = reorders ? space : filters_;
    Operands main(l);
    main.add(c.task == TRANSPOSE ? DIFF_SRC : SRC, images, images_);
    main.add(c.task == CORRELATE ? DIFF_WEIGHTS : WEIGHTS, chosen, chosen_);
    main.add(c.task == CONVOLVE ? DST : DIFF_DST, places, places_);
    if (c.bias)
        main.add(BIAS, bias, bias_);
    if (scratchpad_size)
        main.add(SCRATCHPAD, scratchpad, space + own);
    int s = SUCCESS;
    if (reorders && c.task != CORRELATE)
        s = prepare(filters_, chosen_);
    if (s == SUCCESS)
        s = main.execute(primitive, queue());
    if (reorders && s == SUCCESS && c.task == CORRELATE)
        s = change(chosen, chosen_, plain, filters_);
    workspace.trim();
    return s;
}

/* The most recently planned convolutions, for all threads: its user holds the GIL. */
class Cache {
public:
    enum { CAPACITY = 512 };

    std::shared_ptr<Planned> find(const Library &l, const Described &c) {
        auto found = places.find(c);
        if (found != places.end()) {
            entries.splice(entries.begin(), entries, found->second);
            return found->second->second;
        }
        entries.emplace_front(c, std::make_shared<Planned>(l, c));
        places[c] = entries.begin();
        if (entries.size() > CAPACITY) {
            places.erase(entries.back().first);
            entries.pop_back();
        }
        return entries.front().second;
    }

    size_t size() const { return entries.size(); }

private:
    typedef std::list<std::pair<Described, std::shared_ptr<Planned>>> Entries;
    Entries entries;
    std::unordered_map<Described, Entries::iterator, Hash> places;
};

}  // namespace onednn
}  // namespace chainer_fast

#endif
