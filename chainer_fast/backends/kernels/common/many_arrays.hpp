/* Arrays of many parameters as arguments of one CUDA kernel.
 *
 * A launch takes as long as the update of some hundred thousand elements, and a model has
 * hundreds of parameters. The addresses of the arrays are arguments of the kernel, so that
 * nothing has to be copied to the device ahead. A block works on a piece of one parameter.
 *
 * many_arrays.py fills in the arguments.
 */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {

constexpr unsigned int THREADS = 256;   /* of a block */
constexpr unsigned int PIECE = 4096;    /* elements of a block */

/* Arrays of some parameters, which have as many each. An address has 48 bits, so that the
   arrays of a hundred parameters fit into what every device takes as arguments. */
template <int n_arrays, int capacity_>
struct Arrays {
    static constexpr int capacity = capacity_;
    unsigned int first_block[capacity];     /* the largest number if there is none */
    unsigned int size[capacity];
    unsigned int low[n_arrays][capacity];
    unsigned short high[n_arrays][capacity];

    template <typename T>
    CF_ELEMENT T *get(int array, int param) const {
        unsigned long long high_bits = high[array][param];
        return (T *)(high_bits << 32 | low[array][param]);
    }
};

/* The elements of the block. */
struct Piece {
    int param;
    unsigned int first, last;

    template <typename A>
    CF_ELEMENT explicit Piece(const A &arrays) : param(0) {
        static_assert(A::capacity <= 512, "the search is for fewer parameters");
        for (int step = 256; step > 0; step /= 2)
            if (param + step < A::capacity
                    && arrays.first_block[param + step] <= blockIdx.x)
                param += step;
        const unsigned int begin = (blockIdx.x - arrays.first_block[param]) * PIECE;
        const unsigned int left = arrays.size[param] - begin;
        first = begin + threadIdx.x;
        last = begin + (left < PIECE ? left : PIECE);
    }
};

/* The wider of two types, or float. */
template <bool is_double> struct Scaled { typedef float type; };
template <> struct Scaled<true> { typedef double type; };

/* Copies of first arrays in second ones, multiplied by a number. */
template <typename From, typename To, typename A>
CF_ELEMENT void copy_scaled(const A &arrays, double scale) {
    typedef typename Scaled<sizeof(From) == 8 || sizeof(To) == 8>::type N;
    const Piece piece(arrays);
    const From *from = arrays.template get<From>(0, piece.param);
    To *to = arrays.template get<To>(1, piece.param);
    for (unsigned int k = piece.first; k < piece.last; k += THREADS)
        to[k] = To(N(from[k]) * N(scale));
}

}  // namespace chainer_fast
