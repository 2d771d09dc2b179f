/* Operations by which the processor computes the elements of updates. */
#ifndef CHAINER_FAST_UPDATE_NUMBER_HPP
#define CHAINER_FAST_UPDATE_NUMBER_HPP

#include "chainer_fast/_core/half.hpp"

namespace chainer_fast {

/* The number, or zero for NaN: a comparison of NaN raises an error flag that NumPy does
   not raise. Compilers see through a floating-point comparison that does this. */
CF_ELEMENT float number(float x) {
    return from_bits(pick((bits_of(x) & 0x7fffffffu) <= INFINITY_BITS, bits_of(x), 0));
}

CF_ELEMENT double number(double x) {
    uint64_t size = bits_of(x) & 0x7fffffffffffffffull;
    return from_bits(bits_of(x) & (0u - (uint64_t)(size <= 0x7ff0000000000000ull)));
}

CF_ELEMENT Half number(Half x) { return Half::exactly(number((float)x)); }

/* One or the other by value: with a choice of objects in memory there are no vectors. */
CF_ELEMENT Half choose(bool condition, Half yes, Half no) {
    return Half::exactly(condition ? (float)yes : (float)no);
}

}  // namespace chainer_fast

#endif
