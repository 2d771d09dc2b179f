/* Arithmetic of pooling, on the processor and on the GPU. */
#ifndef CHAINER_FAST_POOLING_ELEMENTS_HPP
#define CHAINER_FAST_POOLING_ELEMENTS_HPP

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace pooling {

/* Whether an element replaces the largest so far: NaN does, and stays. */
template <typename T>
CF_ELEMENT bool exceeds(T seen, T largest) {
    return !(seen <= largest) && largest == largest;
}

/* The type that elements are added up in: halves in single precision. */
template <typename T>
struct Total {
    typedef float type;
};
template <>
struct Total<double> {
    typedef double type;
};

}  // namespace pooling
}  // namespace chainer_fast

#endif
