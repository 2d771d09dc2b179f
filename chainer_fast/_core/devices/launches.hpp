/* The functions of the CUDA driver that launch kernels and copy, with their
 * arguments. */
#pragma once

#include <stdint.h>
#include <string.h>

namespace chainer_fast {

/* Arguments of a kernel, in the driver's layout. */
class Arguments {
public:
    template <typename T>
    void add(T value) {
        *add_array<T>(1) = value;
    }

    /* Memory for some elements, filled with zeros. */
    template <typename T>
    T *add_array(size_t n) {
        align(sizeof(T));
        void *begin = memset(bytes + size, 0, n * sizeof(T));
        size += n * sizeof(T);
        return static_cast<T *>(begin);
    }

    void align(size_t each) { size = (size + each - 1) / each * each; }

private:
    friend struct Driver;
    // The driver rejects more than 4096. The rest is space for the coefficients of the
    // longest list of steps, so that it can do so.
    alignas(8) char bytes[4096 + 1024];
    size_t size = 0;
};

/* A kernel in a context of the driver, for arrays of a kind. */
struct Compiled {
    intptr_t context;
    char kind;
    intptr_t function;
};

/* The device of a context. */
struct Device {
    intptr_t context;
    int number;
};

struct Driver {
    int (*launch_kernel)(intptr_t function, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned shared, intptr_t stream,
                         void **arguments, void **extra) = nullptr;
    int (*get_context)(intptr_t *context) = nullptr;
    int (*copy)(intptr_t to, intptr_t from, size_t bytes, intptr_t stream) = nullptr;

    /* The context of this thread; 0 if it has none. */
    intptr_t context() const {
        intptr_t found = 0;
        return get_context && get_context(&found) == 0 ? found : 0;
    }

    /* Returns the driver's status. */
    int launch(intptr_t function, size_t blocks, unsigned threads, intptr_t stream,
               Arguments &arguments) const {
        void *end = nullptr, *pointer = (void *)1, *size = (void *)2;
        void *extra[] = {pointer, arguments.bytes, size, &arguments.size, end};
        return launch_kernel(function, (unsigned)blocks, 1, 1, threads, 1, 1, 0, stream,
                             nullptr, extra);
    }
};

}  // namespace chainer_fast
