/* Ranks of nodes and functions: the number of functions on the longest way to them. */
#pragma once

#include <stdint.h>

/* 48 bits leave the records of a graph their size. A variable keeps its rank when it is
 * cut off, so that the ranks of a recurrent state grow for as long as a program runs: 32
 * bits would last an hour or so. */
struct Rank {
    uint16_t low, middle;
    int16_t high;

    int64_t get() const {
        return (int64_t)high * ((int64_t)1 << 32) + ((uint32_t)middle << 16 | low);
    }
    void set(int64_t rank) {
        low = (uint16_t)rank;
        middle = (uint16_t)(rank >> 16);
        high = (int16_t)(rank >> 32);
    }
};
