/* The arithmetic of one element, for the processor and for GPUs. */
#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {

struct Softsign {
    template <typename T>
    static CF_ELEMENT T of(T x, T width) { return x / (width + T(fabs(x))); }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T width) {
        T wide = width + T(fabs(x));
        return width / (wide * wide) * gy;
    }
};
CF_LOOPS(Softsign)

}  // namespace chainer_fast
