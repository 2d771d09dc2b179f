/* Threads of a GPU, one after the other.
 *
 * The threads of a block are fibers if the kernel makes them wait for each other, and
 * otherwise a loop. Their order is scattered, so that a kernel whose threads need what
 * others write, and do not wait for it, comes out wrong.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <vector>

struct Index {
    unsigned int x, y, z;
};
enum State { READY, AT_WARP, AT_BLOCK, ENDED };

struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    State state;
};

extern "C" {
Index threadIdx, blockIdx, blockDim, gridDim;
char* host_shared_memory;
long long host_failure[3];

/* An index outside of an array of some size, or for the size 0: -2 an assertion, -3
   threads that wait without end, -4 a division of integers by zero, -5 an address. */
void host_fail(long long index, long long size) {
    if (!host_failure[0]) {
        host_failure[0] = 1;
        host_failure[1] = index;
        host_failure[2] = size;
    }
}
}

namespace {

const size_t STACK = 1 << 17;
std::vector<Fiber*> fibers;
ucontext_t scheduler;
int current;
long long slots[32 * 32];
void (*kernel)(void**);
void** arguments;

Index position(unsigned int i, const Index& size) {
    return {i % size.x, i / size.x % size.y, i / size.x / size.y};
}

/* The i-th of n things in a scattered order. */
unsigned int scattered(unsigned int i, unsigned int n) {
    unsigned int step = n / 2 + n / 8 + 1;
    unsigned int a = step, b = n;
    while (b) {
        unsigned int rest = a % b;
        a = b;
        b = rest;
    }
    if (a != 1) {
        return n - 1 - i;
    }
    return ((unsigned long long)i * step + n / 3) % n;
}

void thread() {
    kernel(arguments);
    fibers[current]->state = ENDED;
    swapcontext(&fibers[current]->context, &scheduler);
}

/* Let threads [from, to) go on if those that have not ended all wait for it. */
bool release(int from, int to, State waiting) {
    bool any = false;
    for (int i = from; i < to; ++i) {
        if (fibers[i]->state == waiting) {
            any = true;
        } else if (fibers[i]->state != ENDED) {
            return false;
        }
    }
    for (int i = from; i < to; ++i) {
        if (fibers[i]->state == waiting) {
            fibers[i]->state = READY;
        }
    }
    return any;
}

/* Run the threads of a warp until they end or wait for others than themselves. */
void run_warp(int from, int to) {
    do {
        for (int k = 0; k < to - from; ++k) {
            int i = from + scattered(k, to - from);
            if (fibers[i]->state == READY) {
                current = i;
                threadIdx = position(i, blockDim);
                swapcontext(&scheduler, &fibers[i]->context);
            }
        }
    } while (release(from, to, AT_WARP));
}

/* Return false if threads wait for each other without end. */
bool run_fibers(int count) {
    while ((int)fibers.size() < count) {
        fibers.push_back(new Fiber);
        fibers.back()->stack.resize(STACK);
    }
    for (int i = 0; i < count; ++i) {
        Fiber* fiber = fibers[i];
        getcontext(&fiber->context);
        fiber->context.uc_stack.ss_sp = fiber->stack.data();
        fiber->context.uc_stack.ss_size = STACK;
        fiber->context.uc_link = NULL;
        fiber->state = READY;
        makecontext(&fiber->context, thread, 0);
    }
    int warps = (count + 31) / 32;
    do {
        for (int k = 0; k < warps; ++k) {
            int from = 32 * scattered(k, warps);
            run_warp(from, from + 32 < count ? from + 32 : count);
        }
    } while (release(0, count, AT_BLOCK));
    for (int i = 0; i < count; ++i) {
        if (fibers[i]->state != ENDED) {
            return false;
        }
    }
    return true;
}

sigjmp_buf before_fault;

void fault(int signal) {
    siglongjmp(before_fault, signal);
}

void run_blocks(bool waits) {
    unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned int b = 0; b < blocks; ++b) {
        blockIdx = position(scattered(b, blocks), gridDim);
        if (waits) {
            if (!run_fibers(threads)) {
                host_fail(-3, 0);
                return;
            }
        } else {
            for (unsigned int t = 0; t < threads; ++t) {
                threadIdx = position(scattered(t, threads), blockDim);
                kernel(arguments);
            }
        }
    }
}

}

extern "C" {

void host_wait(bool block) {
    fibers[current]->state = block ? AT_BLOCK : AT_WARP;
    swapcontext(&fibers[current]->context, &scheduler);
}

void* host_slot(int lane) {
    return &slots[current / 32 * 32 + lane];
}

void host_launch(
        void (*call)(void**), void** args, const unsigned int* grid,
        const unsigned int* block, size_t shared, bool waits) {
    std::vector<long long> memory(shared / sizeof(long long) + 2);
    // As on a GPU, it holds anything.
    memset(memory.data(), 0xff, memory.size() * sizeof(long long));
    host_shared_memory = (char*)memory.data();
    kernel = call;
    arguments = args;
    memcpy(&gridDim, grid, sizeof gridDim);
    memcpy(&blockDim, block, sizeof blockDim);
    memset(host_failure, 0, sizeof host_failure);
    struct sigaction action = {}, arithmetic, address;
    action.sa_handler = fault;
    sigaction(SIGFPE, &action, &arithmetic);
    sigaction(SIGSEGV, &action, &address);
    int signal = sigsetjmp(before_fault, 1);
    if (signal == 0) {
        run_blocks(waits);
    } else {
        host_fail(signal == SIGFPE ? -4 : -5, 0);
    }
    sigaction(SIGFPE, &arithmetic, NULL);
    sigaction(SIGSEGV, &address, NULL);
}
}
