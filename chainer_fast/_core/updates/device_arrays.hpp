/* Arrays of many parameters as arguments of a CUDA kernel: see
 * backends/kernels/common/many_arrays.hpp, whose structure is laid out here. */
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "chainer_fast/_core/devices/launches.hpp"

namespace chainer_fast {

constexpr int MOST_ARRAYS = 6;

/* The arrays of a parameter to change. */
struct Changed {
    int n_arrays;
    char kinds[2];              // of the parameter and its gradient
    size_t size;                // elements of each array
    intptr_t addresses[MOST_ARRAYS], ends[MOST_ARRAYS];
    size_t first_step;
    int n_steps, n_hooks;
};

/* Return whether any two arrays overlap. */
inline bool overlap(const std::vector<Changed> &all) {
    std::vector<std::pair<intptr_t, intptr_t>> bounds;
    for (const Changed &each : all)
        for (int i = 0; i < each.n_arrays; ++i)
            bounds.emplace_back(each.addresses[i], each.ends[i]);
    std::sort(bounds.begin(), bounds.end());
    for (size_t i = 1; i < bounds.size(); ++i)
        if (bounds[i - 1].second > bounds[i].first)
            return true;
    return false;
}

/* Maximum number of parameters of a kernel: those that fit into the argument bytes of
 * every device, minus space for the coefficients. */
inline int capacity(int n_arrays) {
    return (4096 - 160) / (8 + 6 * n_arrays) / 2 * 2;
}

/* Adds the arrays of parameters to the arguments of a kernel. Returns the number of blocks,
 * each of which goes over a piece of a parameter. */
inline size_t add_arrays(Changed **group, int n, Arguments &arguments) {
    constexpr size_t PIECE = 4096;
    const int n_arrays = group[0]->n_arrays, room = capacity(n_arrays);
    uint32_t *first_block = arguments.add_array<uint32_t>(room);
    uint32_t *size = arguments.add_array<uint32_t>(room);
    uint32_t *low = arguments.add_array<uint32_t>(room * n_arrays);
    uint16_t *high = arguments.add_array<uint16_t>(room * n_arrays);
    size_t blocks = 0;
    for (int i = 0; i < n; ++i) {
        first_block[i] = (uint32_t)blocks;
        size[i] = (uint32_t)group[i]->size;
        blocks += (group[i]->size + PIECE - 1) / PIECE;
        for (int k = 0; k < n_arrays; ++k) {
            low[k * room + i] = (uint32_t)group[i]->addresses[k];
            high[k * room + i] = (uint16_t)(group[i]->addresses[k] >> 32);
        }
    }
    for (int i = n; i < room; ++i)
        first_block[i] = UINT32_MAX;
    arguments.align(sizeof(uint32_t));
    return blocks;
}

}  // namespace chainer_fast
