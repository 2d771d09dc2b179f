/* Transformations of Winograd's convolutions, for the vectors of `Lanes`; included where
 * `micro_body.hpp` is, and see `winograd.hpp`. */

/* A vector, or the first n elements of one. */
template <typename T>
CF_ELEMENT typename Lanes<T>::V load_some(const T *p, ptrdiff_t n) {
    return n >= Lanes<T>::N ? Lanes<T>::load(p) : Lanes<T>::load(p, n);
}

template <typename T>
CF_ELEMENT void store_some(T *p, typename Lanes<T>::V v, ptrdiff_t n) {
    if (n >= Lanes<T>::N)
        Lanes<T>::store(p, v);
    else
        Lanes<T>::store(p, v, n);
}

/* Polynomials are evaluated at 0, A, -A, B, -B and infinity. These are exact in binary,
 * and close enough to one to keep rounding errors small. */
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

/* Three elements of a filter, or four gradients treated as a filter. */
template <typename T, int N>
CF_ELEMENT void winograd_line_filter(const typename Lanes<T>::V *g, ptrdiff_t step,
                                     typename Lanes<T>::V *out, ptrdiff_t out_step) {
    typedef Lanes<T> L;
    constexpr double difference = WINOGRAD_A2 - WINOGRAD_B2;
    const auto g0 = g[0], g1 = g[step], g2 = g[2 * step], last = g[(N - 1) * step];
    const auto a2 = L::same((T)WINOGRAD_A2), b2 = L::same((T)WINOGRAD_B2);
    out[0] = L::mul(L::same((T)(1 / (WINOGRAD_A2 * WINOGRAD_B2))), g0);
    auto even = L::mul(L::same((T)(1 / (2 * WINOGRAD_A2 * difference))),
                       L::fma(a2, g2, g0));
    auto odd = L::mul(L::same((T)(1 / (2 * WINOGRAD_A * difference))),
                      N == 4 ? L::fma(a2, last, g1) : g1);
    out[out_step] = L::add(even, odd);
    out[2 * out_step] = L::sub(even, odd);
    even = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B2 * difference))),
                  L::fma(b2, g2, g0));
    odd = L::mul(L::same((T)(-1 / (2 * WINOGRAD_B * difference))),
                 N == 4 ? L::fma(b2, last, g1) : g1);
    out[3 * out_step] = L::add(even, odd);
    out[4 * out_step] = L::sub(even, odd);
    out[5 * out_step] = last;
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

/* Transforms the columns of a square of IN x IN vectors and then its rows, to OUT each. */
template <typename T, int IN, int OUT, auto line>
CF_ELEMENT void both_ways(const typename Lanes<T>::V *square,
                          typename Lanes<T>::V *result) {
    typename Lanes<T>::V lines[IN * OUT];
    for (int i = 0; i < IN; ++i)
        line(square + i, IN, lines + i, IN);
    for (int i = 0; i < OUT; ++i)
        line(lines + IN * i, 1, result + OUT * i, 1);
}

/* Whether a vector is zero, as is the product of zero with finite numbers only. */
template <typename T>
CF_ELEMENT bool is_zero(typename Lanes<T>::V vector) {
    T numbers[Lanes<T>::N];
    Lanes<T>::store(numbers, vector);
    bool zero = true;
    for (int i = 0; i < Lanes<T>::N; ++i)
        zero = zero && numbers[i] == 0;
    return zero;
}

/* Squares of pixels or of gradients, for `n` channels from `first` on, at 36 points that
 * are `step` apart; filled up with zeros to whole vectors. */
template <typename T, int SIDE, auto line>
void winograd_square(const T *const *pixels, ptrdiff_t first, ptrdiff_t n, T *out,
                     ptrdiff_t step) {
    typedef Lanes<T> L;
    for (ptrdiff_t c = 0; c < n; c += L::N) {
        typename L::V square[36];
        for (int i = 0; i < SIDE * SIDE; ++i)
            square[i] = load_some(pixels[i] + first + c, n - c);
        both_ways<T, SIDE, 6, line>(square, square);
        for (int i = 0; i < 36; ++i)
            L::store(out + i * step + c, square[i]);
    }
}

/* Sums at 36 points, `step` apart, as filters of shape (9, n). Returns whether all
 * numbers are finite. */
template <typename T>
bool winograd_sums(const T *sums, ptrdiff_t step, ptrdiff_t n, T *out) {
    typedef Lanes<T> L;
    typename L::V check = L::zero();
    for (ptrdiff_t c = 0; c < n; c += L::N) {
        typename L::V square[36], result[9];
        for (int i = 0; i < 36; ++i)
            square[i] = L::load(sums + i * step + c);
        both_ways<T, 6, 3, winograd_line_sums<T>>(square, result);
        for (int i = 0; i < 9; ++i) {
            check = L::fma(result[i], L::zero(), check);
            L::store(out + i * n + c, result[i]);
        }
    }
    return is_zero<T>(check);
}

/* Filters of shape (9, n) as (36, n), where n is a multiple of the lanes; `flipped`
 * turns them round. */
template <typename T>
void winograd_filters(const T *weights, ptrdiff_t n, T *out, bool flipped) {
    typedef Lanes<T> L;
    for (ptrdiff_t c = 0; c < n; c += L::N) {
        typename L::V square[9], result[36];
        for (int i = 0; i < 9; ++i)
            square[i] = L::load(weights + (flipped ? 8 - i : i) * n + c);
        both_ways<T, 3, 6, winograd_line_filter<T, 3>>(square, result);
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
        typename L::V square[36], result[16];
        const typename L::V start = bias ? load_some(bias + f, n) : L::zero();
        for (int i = 0; i < 36; ++i)
            square[i] = L::load(products + i * step + f);
        both_ways<T, 6, 4, winograd_line_out<T>>(square, result);
        for (int i = 0; i < 16; ++i) {
            const typename L::V value = L::add(result[i], start);
            check = L::fma(value, L::zero(), check);
            if (pixels[i])
                store_some(pixels[i] + f, value, n);
        }
    }
    return is_zero<T>(check);
}
