/* CUDA kernels between many arrays and their parts of a flat buffer. */
#ifndef CHAINER_FAST_PACKING_MANY_ARRAYS_HPP
#define CHAINER_FAST_PACKING_MANY_ARRAYS_HPP

#include "chainer_fast/backends/kernels/common/many_arrays.hpp"

namespace chainer_fast {

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

#endif
