/* Ranks of nodes and functions: the number of functions on the longest way to them. */
#pragma once

#include <stdint.h>
#include <string.h>

/* 48 bits leave the records of a graph their size. A variable keeps its rank when it is
 * cut off, so that the ranks of a recurrent state grow for as long as a program runs: 32
 * bits would last an hour or so. */
struct Rank {
    uint16_t low[2];    // four bytes at an even address
    int16_t high;

    int64_t get() const {
        uint32_t below;
        memcpy(&below, low, sizeof below);
        return (int64_t)((uint64_t)(int64_t)high << 32 | below);
    }
    void set(int64_t rank) {
        const uint32_t below = (uint32_t)rank;
        memcpy(low, &below, sizeof below);
        high = (int16_t)(rank >> 32);
    }
};

/* How a function of a graph holds its outputs, and how it reads arrays: one byte, so that
 * its object does not grow. */
struct FunctionBits {
    unsigned char output_kind : 2;
    unsigned char in_single : 1;    /* while halves are read as floats */
};
