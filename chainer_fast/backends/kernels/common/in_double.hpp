/* Special functions of floats: computed in double precision, rounded once.
 *
 * An error of 1e-9 in double precision adds a fiftieth of a unit in the last place of a
 * float, so short polynomials do. Functions that doubles have, too, are within a few units
 * in the last place of these. As in `exponential.hpp`, there is no jump.
 * Polynomials without a name are power series; others were fitted at Chebyshev's nodes.
 */
#pragma once

#include "chainer_fast/backends/kernels/common/exponential.hpp"

namespace chainer_fast {
namespace in_double {

CF_ELEMENT double fused(double a, double b, double c) {
#if defined(CF_FUSED)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

CF_ELEMENT double polynomial(double, double constant) { return constant; }

/* With the coefficients from the constant one on. */
template <typename... Coefficients>
CF_ELEMENT double polynomial(double x, double constant, Coefficients... others) {
    return fused(polynomial(x, others...), x, constant);
}

constexpr double PI = 3.141592653589793, LOG_2 = 0.6931471805599453;
constexpr double LOG_2_REST = 2.3190468138462996e-17, ROOT_2 = 1.4142135623730951;
/* Adding it rounds a number below 2^51 to an integer, in the last bits. */
constexpr double SHIFT = 0x1.8p52;

CF_ELEMENT double rounded(double x) { return (x + SHIFT) - SHIFT; }

/* Of a positive number, neither subnormal nor infinite; within 1e-15 of its size. */
CF_ELEMENT double log(double x) {
    const uint64_t bits = bits_of(x), root = 0x3fe6a09e667f3bcd;    // of 1/2
    const uint64_t exponent = (bits - root + ((uint64_t)1024 << 52)) >> 52;
    const double n = from_bits(exponent | 0x4330000000000000) - (0x1p52 + 1024);
    const double m = from_bits(bits - (exponent << 52) + ((uint64_t)1024 << 52));
    const double s = (m - 1) / (m + 1), z = s * s;
    const double series = polynomial(
        z, 1 / 3., 1 / 5., 1 / 7., 1 / 9., 1 / 11., 1 / 13., 1 / 15., 1 / 17., 1 / 19.);
    return fused(n, LOG_2, fused(n, LOG_2_REST, 2 * fused(s * z, series, s)));
}

constexpr double ENDLESS = std::numeric_limits<double>::infinity();
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

/* All bits, if that is so: compilers make jumps of choices that depend on choices. */
CF_ELEMENT uint64_t when(bool condition) { return 0 - (uint64_t)condition; }

CF_ELEMENT double choose(uint64_t first, double a, double b) {
    return from_bits((bits_of(a) & first) | (bits_of(b) & ~first));
}

/* Of a number from -750 to 700; within 3e-16 of its size. */
CF_ELEMENT double exp(double x) {
    const double shifted = fused(x, 1 / LOG_2, SHIFT), n = shifted - SHIFT;
    const double r = fused(-n, LOG_2_REST, fused(-n, LOG_2, x));
    const double y = 1 + fused(r * r, polynomial(
        r, 1 / 2., 1 / 6., 1 / 24., 1 / 120., 1 / 720., 1 / 5040., 1 / 40320., 1 / 362880.,
        1 / 3628800., 1 / 39916800., 1 / 479001600., 1 / 6227020800.), r);
    /* In two factors where the power may not be a normal number. */
    const uint64_t is_small = when(x < -600);
    return from_bits(bits_of(y) + ((bits_of(shifted) + (is_small & 200)) << 52))
        * choose(is_small, 0x1p-200, 1);
}

/* erfc(x) exp(x^2) for x >= 0: what varies little, over x + 3. */
CF_ELEMENT double erfcx_of_positive(double x) {
    const double inverse = 1 / (x + 3), u = (x - 3) * inverse;
    return inverse * polynomial(
        u, 1.0740069070883398, -0.8833944531698836, 0.5902283571041016,
        -0.3104672619005623, 0.11952776128730833, -0.026827234624695905,
        -0.0012124166277399343, 0.003034062005264936, -0.0005483096841614879,
        -0.0002767778876751136, 0.00010756142628457055, 3.0398415827091235e-05,
        -1.7470276946754135e-05, -4.7502050387015065e-06, 2.7645081270955054e-06,
        1.0013722371824734e-06, -4.061855183722358e-07, -2.3761131752337484e-07,
        4.362841484529203e-08, 5.4874097799138594e-08, 1.2682735605486027e-09,
        -1.1014234599054842e-08, -2.3223380497760333e-09, 1.6548653598909394e-09,
        6.316356046399632e-10, -1.3500642256798214e-10, -7.190257171322203e-11);
}

/* With the rounding of a square, which the exponential is of, or of a multiple. */
CF_ELEMENT double with_rest(double exponential, double x, double square, double times) {
    return fused(exponential, fused(x, x, -square) * times, exponential);
}

/* erfc(x) for x from 0 to 27. */
CF_ELEMENT double erfc_of_positive(double x) {
    const double square = x * x, y = exp(-square) * erfcx_of_positive(x);
    return with_rest(y, x, square, -1);
}

/* |x|, or `most` for what is more; of NaN any number. */
CF_ELEMENT double size_at_most(double most, double x) {
    const double a = x != x ? 0 : fabs(x);
    return a < most ? a : most;
}

/* erf(x) for x from 0 to 1. */
CF_ELEMENT double erf_of_small(double x) {
    return x * polynomial(
        x * x, 1.1283791670955126, -0.3761263890318375, 0.11283791670954879,
        -0.026866170645076792, 0.0052239776248180145, -0.000854832698083379,
        0.0001205533111164271, -1.4925595266831182e-05, 1.6461000484121368e-06,
        -1.6350312701054695e-07, 1.4659775274047436e-08, -1.1372848856791674e-09,
        5.957176147748911e-11);
}

CF_ELEMENT double erf(double x) {
    const double a = size_at_most(6, x);
    const double y = a < 1 ? erf_of_small(a) : 1 - erfc_of_positive(a);
    return x != x ? x : std::copysign(y, x);
}

CF_ELEMENT double erfc(double x) {
    const double y = erfc_of_positive(size_at_most(11, x));
    return x != x ? x : x < 0 ? 2 - y : y;
}

/* The distribution of the standard normal. */
CF_ELEMENT double ndtr(double x) {
    const double y = erfc_of_positive(size_at_most(15, x) / ROOT_2) / 2;
    return x != x ? x : x < 0 ? y : 1 - y;
}

/* Its logarithm, with all digits of small ones. */
CF_ELEMENT double log_ndtr(double x) {
    const double size = size_at_most(1e200, x), a = size * (1 / ROOT_2);
    const double below = log(erfcx_of_positive(a) / 2) - size / 2 * size;
    const double rest = erfc_of_positive(a < 27.3 ? a : 27.3) / 2, y = 1 - rest;
    const double above = choose(when(y == 1), -rest, log(y) + ((1 - y) - rest) / y);
    return choose(when(x != x), x, choose(when(x < 0), below, above));
}

/* exp(x^2) erfc(x) */
CF_ELEMENT double erfcx(double x) {
    const double a = size_at_most(1e308, x), small = a < 27 ? a : 27, s = small * small;
    const double positive = choose(when(x == ENDLESS), 0, erfcx_of_positive(a));
    const double e = with_rest(exp(s / 2), small, s, 0.5);
    return choose(when(x != x), x, choose(when(x < 0), 2 * e * e - positive, positive));
}

/* erfinv(x) for x from 0 to 1, given t = 1 - x, too, neither of them rounded if it is the
 * smaller one. By polynomials of log(1 - x^2), of its root, and of the inverse of that,
 * which are exact enough for floats, and for doubles by a step of Halley's. */
template <typename T>
CF_ELEMENT double erfinv_of(double x, double t) {
    /* Lest the product be no normal number. */
    const double w = 60 * LOG_2 - log(t * 0x1p60 * (1 + x));
    const double root = std::sqrt(w < 0 ? 0 : w), u = w - 3.125, v = root - 3.25;
    const double middle = polynomial(
        u, 1.653654562756356, 0.2401581786305125, -0.006033671586601874,
        -0.0007406914051934872, 0.00018673533426044636, -1.389192857615513e-05,
        -1.3661197546888455e-06, 4.269355431028676e-07, -2.88995640166758e-08,
        -4.747681499478822e-09, 1.0309429456997763e-09, 5.500080504525046e-12,
        -1.2383878862376407e-11);
    const double end = polynomial(
        v, 3.0838856059747926, 1.005258970941551, 0.005371318604739676,
        -0.0037513320276240593, 0.002485640194987463, -0.0016869381497122459,
        0.0009826349073880289, -0.00036113484588590623, -3.743759502380632e-05,
        8.131270549047132e-05);
    const double far = root * polynomial(
        1 / root, 1.0000467651331675, -0.01038071790569, -1.7252063215101237,
        13.792014527344891, -122.20608029686066, 968.6418374817845, -5935.676809606889,
        26734.440504071878, -84954.9828561582, 179559.88181163208, -225980.55229039103,
        127935.49542420454);
    const double y = choose(when(w < 16), x * choose(when(w < 6.25), middle, end), far);
    if constexpr (sizeof(T) == sizeof(float))
        return y;
    const double square = y * y, e = with_rest(exp(square / 2), y, square, 0.5);
    const double step = choose(
        when(x < 0.75), (x - erf_of_small(y)) * e * e,
        erfcx_of_positive(y) - t * e * e) * 0.886226925452758;
    return y + step / (1 - y * step);
}

template <typename T>
CF_ELEMENT double erfinv(double x) {
    const double size = fabs(x);
    const uint64_t inside = when(size < 1);
    const double a = choose(inside, size, 0), y = std::copysign(erfinv_of<T>(a, 1 - a), x);
    return choose(inside, y, choose(when(size == 1), std::copysign(ENDLESS, x), NONE));
}

/* The inverse of ndtr. */
CF_ELEMENT double ndtri(double x) {
    const uint64_t inside = when(x > 0) & when(x < 1), lower = when(x < 0.5);
    const double p = choose(inside, x, 0.5), t = 2 * choose(lower, p, 1 - p);
    const double y = ROOT_2 * erfinv_of<float>(1 - t, t);
    const double limit = choose(when(x == 0), -ENDLESS, x == 1 ? ENDLESS : NONE);
    return choose(inside, choose(lower, -y, y), limit);
}

/* sin(pi x) for x from -1/2 to 1/2. */
CF_ELEMENT double sin_pi(double x) {
    const double t = PI * x, z = t * t;
    return t * polynomial(
        z, 1, -1 / 6., 1 / 120., -1 / 5040., 1 / 362880., -1 / 39916800., 1 / 6227020800.,
        -1 / 1307674368000.);
}

/* The logarithm of |Gamma(x)|. */
CF_ELEMENT double gammaln(double x) {
    const double size = fabs(x);
    const uint64_t finite = when(size < ENDLESS), zero = when(x == 0);
    const double y = choose(finite & ~zero, size, 1), log_y = log(y);
    /* From 1 to 3, over (x - 1) (x - 2); below 1 by the recurrence. */
    const uint64_t below = when(y < 1), negative = when(x < 0);
    const double u = (y < 3 ? y : 3) - choose(below, 1, 2);
    const double middle = u * (u + 1) * polynomial(
        u, 0.42278433509846536, -0.10031730168490738, 0.032965000626662966,
        -0.012384191563172879, 0.004998640849896745, -0.002108141813256293,
        0.0009153823225942129, -0.00040562100015746047, 0.00018251048128365373,
        -8.346030538157955e-05, 3.834620037542928e-05, -1.6766205854556e-05,
        7.788886776630014e-06, -5.147239788708775e-06, 2.4354739662641595e-06,
        2.2395397356759858e-07, -1.1488804447361799e-07, -6.314515204869187e-07,
        3.0253843740146747e-07);
    /* Stirling's formula. */
    const double inverse = 1 / y;
    const double large = (y - 0.5) * log_y - y + 0.9189385332046727 + inverse * polynomial(
        inverse * inverse, 0.0833333333331945, -0.002777777651413135, 0.0007936317866242817,
        -0.0005941441072478002, 0.0008106404263138034, -0.001427424743067706,
        0.001802407192438879);
    const double positive = choose(when(y < 3), middle - choose(below, log_y, 0), large);
    /* The reflection by pi / (y |sin(pi y)|). */
    const double near = y < 0x1p24 ? y : 0x1p24, sine = fabs(sin_pi(near - rounded(near)));
    const uint64_t none = when(sine == 0);
    const double reflected = log(PI / (y * choose(none, 1, sine))) - positive;
    const double value = choose(negative, reflected, positive) + 0.;     /* not -0 */
    return choose(finite, choose(zero | (negative & none), ENDLESS, value), x);
}

/* The derivative of the logarithm of the gamma function. */
CF_ELEMENT double digamma(double x) {
    const double size = fabs(x);
    const uint64_t inside = when(size < ENDLESS) & ~when(x == 0), negative = when(x < 0);
    const double at = choose(inside, x, 1), y = choose(negative, 1 - at, at);
    /* The sum of 1 / (y + k) is q / p. */
    const double low = y < 1e15 ? y : 1e15;
    double p = low, q = 1;
    CF_UNROLL(16)
    for (int k = 1; k < 10; ++k) {
        q = fused(q, low + k, p);
        p *= low + k;
    }
    const double z = y + 10, inverse = 1 / z, w = inverse * inverse;
    const double positive = log(z) - inverse / 2 - w * polynomial(
        w, 1 / 12., -1 / 120., 1 / 252., -1 / 240., 1 / 132., -691 / 32760., 1 / 12.)
        - q / p;
    const double near = at > -0x1p24 ? at : -0x1p24, r = near - rounded(near);
    const double sine = sin_pi(r), cosine = sin_pi(0.5 - fabs(r));
    const uint64_t none = when(sine == 0);
    const double cotangent = PI * cosine / choose(none, 1, sine);
    const double value = positive - choose(negative, cotangent, 0);
    const double limit = choose(when(x == 0), -std::copysign(ENDLESS, x), x);
    return choose(
        (negative & none) | when(x == -ENDLESS), NONE, choose(inside, value, limit));
}

}  // namespace in_double
}  // namespace chainer_fast
