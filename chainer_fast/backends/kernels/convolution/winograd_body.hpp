/* Transformations of Winograd's convolutions, for the vectors of `Lanes`; included where
 * `micro_body.hpp` is, and see `winograd.hpp`. */

/* Polynomials are evaluated at 0, A, -A, B, -B and infinity. These are exact in binary,
 * and near enough to one that little is lost to rounding. */
constexpr double WINOGRAD_A = 0.75, WINOGRAD_B = 1.5;
constexpr double WINOGRAD_A2 = WINOGRAD_A * WINOGRAD_A;
constexpr double WINOGRAD_B2 = WINOGRAD_B * WINOGRAD_B;

template <typename T>
CF_ELEMENT void winograd_line_in(const typename Lanes<T>::V *d, ptrdiff_t step,
                                 typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    const auto product = L::same((T)(WINOGRAD_A2 * WINOGRAD_B2));
    const auto sum = L::same((T)-(WINOGRAD_A2 + WINOGRAD_B2));
    const auto d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    out[0] = L::fma(product, d[0], L::fma(sum, d2, d4));
    auto even = L::fma(L::same((T)-WINOGRAD_B2), d2, d4);
    auto odd = L::mul(L::same((T)WINOGRAD_A),
                      L::fma(L::same((T)-WINOGRAD_B2), d1, d3));
    out[out_step] = L::add(even, odd);
    out[2 * out_step] = L::sub(even, odd);
    even = L::fma(L::same((T)-WINOGRAD_A2), d2, d4);
    odd = L::mul(L::same((T)WINOGRAD_B), L::fma(L::same((T)-WINOGRAD_A2), d1, d3));
    out[3 * out_step] = L::add(even, odd);
    out[4 * out_step] = L::sub(even, odd);
    out[5 * out_step] = L::fma(product, d1, L::fma(sum, d3, d[5 * step]));
}

template <typename T>
CF_ELEMENT void winograd_line_filter(const typename Lanes<T>::V *g, ptrdiff_t step,
                                     typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    constexpr double difference = WINOGRAD_A2 - WINOGRAD_B2;
    const auto g0 = g[0], g1 = g[step], g2 = g[2 * step];
    out[0] = L::mul(L::same((T)(1 / (WINOGRAD_A2 * WINOGRAD_B2))), g0);
    auto even = L::mul(L::same((T)(1 / (2 * WINOGRAD_A2 * difference))),
                       L::fma(L::same((T)WINOGRAD_A2), g2, g0));
    auto odd = L::mul(L::same((T)(1 / (2 * WINOGRAD_A * difference))), g1);
    out[out_step] = L::add(even, odd);
    out[2 * out_step] = L::sub(even, odd);
    even = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B2 * difference))),
                  L::fma(L::same((T)WINOGRAD_B2), g2, g0));
    odd = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B * difference))), g1);
    out[3 * out_step] = L::add(even, odd);
    out[4 * out_step] = L::sub(even, odd);
    out[5 * out_step] = g2;
}

template <typename T>
CF_ELEMENT void winograd_line_out(const typename Lanes<T>::V *m, ptrdiff_t step,
                                  typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    const auto sum_a = L::add(m[step], m[2 * step]);
    const auto difference_a = L::mul(L::same((T)WINOGRAD_A),
                                     L::sub(m[step], m[2 * step]));
    const auto sum_b = L::add(m[3 * step], m[4 * step]);
    const auto difference_b = L::mul(L::same((T)WINOGRAD_B),
                                     L::sub(m[3 * step], m[4 * step]));
    const auto a2 = L::same((T)WINOGRAD_A2), b2 = L::same((T)WINOGRAD_B2);
    out[0] = L::add(m[0], L::add(sum_a, sum_b));
    out[out_step] = L::add(difference_a, difference_b);
    out[2 * out_step] = L::fma(a2, sum_a, L::mul(b2, sum_b));
    out[3 * out_step] = L::fma(a2, difference_a,
                               L::fma(b2, difference_b, m[5 * step]));
}

/* Four gradients, as a filter. */
template <typename T>
CF_ELEMENT void winograd_line_gradient(const typename Lanes<T>::V *g, ptrdiff_t step,
                                       typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    constexpr double difference = WINOGRAD_A2 - WINOGRAD_B2;
    const auto g0 = g[0], g1 = g[step], g2 = g[2 * step], g3 = g[3 * step];
    const auto a2 = L::same((T)WINOGRAD_A2), b2 = L::same((T)WINOGRAD_B2);
    out[0] = L::mul(L::same((T)(1 / (WINOGRAD_A2 * WINOGRAD_B2))), g0);
    auto even = L::mul(L::same((T)(1 / (2 * WINOGRAD_A2 * difference))),
                       L::fma(a2, g2, g0));
    auto odd = L::mul(L::same((T)(1 / (2 * WINOGRAD_A * difference))),
                      L::fma(a2, g3, g1));
    out[out_step] = L::add(even, odd);
    out[2 * out_step] = L::sub(even, odd);
    even = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B2 * difference))),
                  L::fma(b2, g2, g0));
    odd = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B * difference))), L::fma(b2, g3, g1));
    out[3 * out_step] = L::add(even, odd);
    out[4 * out_step] = L::sub(even, odd);
    out[5 * out_step] = g3;
}

/* Three results, which are elements of a filter. */
template <typename T>
CF_ELEMENT void winograd_line_sums(const typename Lanes<T>::V *m, ptrdiff_t step,
                                   typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    const auto sum_a = L::add(m[step], m[2 * step]);
    const auto sum_b = L::add(m[3 * step], m[4 * step]);
    out[0] = L::add(m[0], L::add(sum_a, sum_b));
    out[out_step] = L::fma(
        L::same((T)WINOGRAD_A), L::sub(m[step], m[2 * step]),
        L::mul(L::same((T)WINOGRAD_B), L::sub(m[3 * step], m[4 * step])));
    out[2 * out_step] = L::fma(L::same((T)WINOGRAD_A2), sum_a,
                               L::fma(L::same((T)WINOGRAD_B2), sum_b, m[5 * step]));
}

/* Whether a vector is zero, as is the product of zero with finite numbers alone. */
template <typename T>
CF_ELEMENT bool is_zero(typename Lanes<T>::V vector) {
    T numbers[Lanes<T>::N];
    Lanes<T>::store(numbers, vector);
    bool zero = true;
    for (int i = 0; i < Lanes<T>::N; ++i)
        zero = zero && numbers[i] == 0;
    return zero;
}

/* A square of 4 x 4 gradients, for filters from `first` on, `n` of them; filled up with
 * zeros to whole vectors. */
template <typename T>
void winograd_gradients(const T *const *places, ptrdiff_t first, ptrdiff_t n, T *out,
                        ptrdiff_t step) {
    typedef Lanes<T> L;
    for (ptrdiff_t f = 0; f < n; f += L::N) {
        typename L::V square[16], lines[24], result[36];
        for (int i = 0; i < 16; ++i)
            square[i] = n - f >= L::N ? L::load(places[i] + first + f)
                                      : L::load(places[i] + first + f, n - f);
        for (int i = 0; i < 4; ++i)
            winograd_line_gradient<T>(square + i, 4, lines + i, 4);
        for (int i = 0; i < 6; ++i)
            winograd_line_gradient<T>(lines + 4 * i, 1, result + 6 * i, 1);
        for (int i = 0; i < 36; ++i)
            L::store(out + i * step + f, result[i]);
    }
}

/* Sums at 36 points, `step` apart, as filters of shape (9, n). Returns whether all
 * numbers are finite. */
template <typename T>
bool winograd_sums(const T *sums, ptrdiff_t step, ptrdiff_t n, T *out) {
    typedef Lanes<T> L;
    typename L::V check = L::zero();
    for (ptrdiff_t c = 0; c < n; c += L::N) {
        typename L::V square[36], lines[18], result[9];
        for (int i = 0; i < 36; ++i)
            square[i] = L::load(sums + i * step + c);
        for (int i = 0; i < 6; ++i)
            winograd_line_sums<T>(square + i, 6, lines + i, 6);
        for (int i = 0; i < 3; ++i)
            winograd_line_sums<T>(lines + 6 * i, 1, result + 3 * i, 1);
        for (int i = 0; i < 9; ++i) {
            check = L::fma(result[i], L::zero(), check);
            L::store(out + i * n + c, result[i]);
        }
    }
    return is_zero<T>(check);
}

/* A square of 6 x 6 pixels. Results for an element of the square are `step` apart. */
template <typename T>
void winograd_in(const T *const *pixels, ptrdiff_t channels, T *out, ptrdiff_t step) {
    typedef Lanes<T> L;
    for (ptrdiff_t c = 0; c < channels; c += L::N) {
        const ptrdiff_t n = channels - c;
        typename L::V square[36], lines[36];
        for (int i = 0; i < 36; ++i)
            square[i] = n >= L::N ? L::load(pixels[i] + c) : L::load(pixels[i] + c, n);
        for (int i = 0; i < 6; ++i)
            winograd_line_in<T>(square + i, 6, lines + i, 6);
        for (int i = 0; i < 6; ++i)
            winograd_line_in<T>(lines + 6 * i, 1, square + 6 * i, 1);
        for (int i = 0; i < 36; ++i)
            L::store(out + i * step + c, square[i]);
    }
}

/* Filters of shape (9, n) as (36, n), where n is a multiple of the lanes; `flipped`
 * turns them round. */
template <typename T>
void winograd_filters(const T *weights, ptrdiff_t n, T *out, bool flipped) {
    typedef Lanes<T> L;
    for (ptrdiff_t c = 0; c < n; c += L::N) {
        typename L::V square[9], lines[18], result[36];
        for (int i = 0; i < 9; ++i)
            square[i] = L::load(weights + (flipped ? 8 - i : i) * n + c);
        for (int i = 0; i < 3; ++i)
            winograd_line_filter<T>(square + i, 3, lines + i, 3);
        for (int i = 0; i < 6; ++i)
            winograd_line_filter<T>(lines + 3 * i, 1, result + 6 * i, 1);
        for (int i = 0; i < 36; ++i)
            L::store(out + i * n + c, result[i]);
    }
}

/* A square of 4 x 4 pixels of the result, or those of it that are not NULL. Returns
 * whether all numbers are finite. */
template <typename T>
bool winograd_out(const T *products, ptrdiff_t step, ptrdiff_t filters, const T *bias,
                  T *const *pixels) {
    typedef Lanes<T> L;
    typename L::V check = L::zero();
    for (ptrdiff_t f = 0; f < filters; f += L::N) {
        const ptrdiff_t n = filters - f;
        typename L::V square[36], lines[24], result[16];
        const typename L::V start = !bias ? L::zero()
            : n >= L::N ? L::load(bias + f) : L::load(bias + f, n);
        for (int i = 0; i < 36; ++i)
            square[i] = L::load(products + i * step + f);
        for (int i = 0; i < 6; ++i)
            winograd_line_out<T>(square + i, 6, lines + i, 6);
        for (int i = 0; i < 4; ++i)
            winograd_line_out<T>(lines + 6 * i, 1, result + 4 * i, 1);
        for (int i = 0; i < 16; ++i) {
            const typename L::V value = L::add(result[i], start);
            check = L::fma(value, L::zero(), check);
            if (!pixels[i])
                continue;
            if (n >= L::N)
                L::store(pixels[i] + f, value);
            else
                L::store(pixels[i] + f, value, n);
        }
    }
    return is_zero<T>(check);
}
