/* Means that have decayed below the normal numbers of float, without their slowness.
 *
 * Where the gradient of a weight is zero from some step on, as it is for a dead unit,
 * its running means decay until they are subnormal, and stay so indefinitely:
 * rounding keeps the last few units. Multiplication, division and roots of such
 * numbers take a processor a hundred times as long. Here the bits of the new mean are
 * found by integers and doubles, and the rule gets zero instead of the old mean, if
 * that makes no difference to the parameter. */
#pragma once

#include "chainer_fast/backends/kernels/update_rules/elements.hpp"

namespace chainer_fast {
namespace update_rules {

/* Nonzero numbers below 2^-112 are checked: the product with a coefficient down to
 * 1e-4 may be subnormal. */
constexpr uint32_t SMALL_BITS = 0x07800000u;

/* Whether the first n numbers include such a number. */
CF_ELEMENT bool any_small(const float *x, ptrdiff_t n) {
    uint32_t found = 0;
    for (ptrdiff_t k = 0; k < n; ++k)
        found |= (bits_of(x[k]) << 1) - 1u < (SMALL_BITS << 1) - 1u;
    return found != 0;
}

/* A small mean, and its new value. */
struct SmallMean {
    uint32_t next;          /* bits of the new mean */
    uint32_t is_usable;

    /* The new mean is c * x, or x - c * x if ``less``, each operation rounded. It is
       usable if c is between 0 and 1, c * x subnormal and the result not zero. */
    CF_ELEMENT SmallMean(float x, float c, bool less) {
        uint32_t size = bits_of(x) & 0x7fffffffu, sign = bits_of(x) ^ size;
        uint32_t usable = bits_of(c) <= 0x3f800000u; /* from zero to one */
        size = pick(size < SMALL_BITS, size, 0);
        uint32_t subnormal = size < 0x00800000u;
        /* In units of 2^-149, the smallest number. */
        double units = pick(
            subnormal, (double)(int32_t)size,
            (double)from_bits(pick(subnormal, 0x3f800000u, size)) * 0x1p149);
        double product = units * (double)from_bits(pick(usable, bits_of(c), 0));
        /* To the nearest integer, with ties to even. */
        double left = (product + 0x1.8p52) - 0x1.8p52;
        left = less ? units - left : left;
        uint32_t tiny = left < 0x1p23;
        uint32_t low = (uint32_t)(int32_t)pick(tiny, left, 0.);
        uint32_t high = bits_of((float)(pick(tiny, 0x1p23, left) * 0x1p-149));
        next = pick(tiny, low, high) | sign;
        is_usable = usable & (uint32_t)(product < 0x1p23) & (uint32_t)(left > 0.);
    }
};

CF_ELEMENT float replaced(float x, uint32_t condition, uint32_t bits) {
    return from_bits(pick(condition, bits, bits_of(x)));
}

/* A rule for elements whose first states may be small. Small numbers are only slow in
 * float: halves are computed as floats, where they are normal, and doubles do not
 * become subnormal in any usual training. */
template <template <typename> class Rule, typename N, int n_states>
struct Decaying {
    static constexpr int n_decaying = 0;
};

template <> struct Decaying<MomentumSGD, float, 1> : MomentumSGD<float> {
    static constexpr int n_decaying = 1;

    CF_ELEMENT void update(float &param, float gradient, float &v) const {
        SmallMean small(v, momentum, false);
        uint32_t use = small.is_usable & (uint32_t)(learning_rate * gradient == 0);
        float value = param;
        v = replaced(v, use, 0);
        MomentumSGD::update(param, gradient, v);
        v = replaced(v, use, small.next);
        param = value + v;
    }
};

template <> struct Decaying<RMSprop, float, 1> : RMSprop<float> {
    static constexpr int n_decaying = 1;

    CF_ELEMENT void update(float &param, float gradient, float &square) const {
        SmallMean small(square, keep, false);
        /* The root does not matter, as nothing is divided by it. */
        uint32_t use = small.is_usable & (uint32_t)(gradient == 0)
            & (uint32_t)(learning_rate * gradient == 0) & (uint32_t)(number(eps) > 0);
        square = replaced(square, use, 0);
        RMSprop<float>::update(param, gradient, square);
        square = replaced(square, use, small.next);
    }
};

template <bool with_bounds, int n_states>
struct DecayingAdam : AdamFamily<float, with_bounds> {
    static constexpr bool with_largest = n_states == 3;
    static constexpr int n_decaying = with_largest ? 1 : 2;

    template <typename... Largest>
    CF_ELEMENT void update(float &param, float gradient, float &m, float &v,
                           Largest &...largest) const {
        const AdamFamily<float, with_bounds> &rule = *this;
        uint32_t no_change = gradient == 0;
        float value = number(param * rule.keep);
        SmallMean small_m(m, rule.move_m, true), small_v(v, rule.move_v, true);
        uint32_t use_m = small_m.is_usable & no_change
            & ((uint32_t)(value > rule.size_of_fixed)
               | (uint32_t)(value < -rule.size_of_fixed));
        /* The root is lost in the sum with such an eps. */
        uint32_t use_v = with_largest ? 0 : small_v.is_usable & no_change
            & (uint32_t)(number(rule.eps) >= 1e-9f)
            & (uint32_t)(number(rule.move_v) >= 1e-4f);
        m = replaced(m, use_m, 0);
        v = replaced(v, use_v, 0);
        rule.update(param, gradient, m, v, largest...);
        m = replaced(m, use_m, small_m.next);
        v = replaced(v, use_v, small_v.next);
    }
};

template <int n_states>
struct Decaying<Adam, float, n_states> : DecayingAdam<false, n_states> {};

template <int n_states>
struct Decaying<AdaBound, float, n_states> : DecayingAdam<true, n_states> {};

}  // namespace update_rules
}  // namespace chainer_fast
