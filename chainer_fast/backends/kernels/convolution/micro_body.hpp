/* Inner loops of convolutions, for the vectors of `Lanes`.
 *
 * Included by `micro.hpp` once for each width of vectors, within a region of code for
 * the processors that have them; templates cannot choose a processor. */

/* A tile of M pixels and some vectors of filters: all of it stays in registers. */
template <typename T, int M, int VECTORS>
void tile(const Tile<T> &job) {
    typedef Lanes<T> L;
    typename L::V sums[M][VECTORS], totals[M][VECTORS];
    CF_UNROLL(16)
    for (int v = 0; v < VECTORS; ++v) {
        const typename L::V start =
            job.bias ? L::load(job.bias + v * L::N) : L::zero();
        CF_UNROLL(16)
        for (int i = 0; i < M; ++i) {
            sums[i][v] = start;
            totals[i][v] = L::zero();
        }
    }
    const T *const *in = job.in;
    ptrdiff_t room = MOST_PRODUCTS;
    for (ptrdiff_t t = 0; t < job.taps; ++t, in += M) {
        const T *x[M];
        CF_UNROLL(16)
        for (int i = 0; i < M; ++i)
            x[i] = in[i] + job.offset;
        const T *w = job.weights + job.tap[t] * job.depth * (VECTORS * L::N);
        for (ptrdiff_t c = 0; c < job.depth; ) {
            const ptrdiff_t end = std::min(job.depth, c + room);
            room -= end - c;
            for (; c < end; ++c, w += VECTORS * L::N) {
                typename L::V weights[VECTORS];
                CF_UNROLL(16)
                for (int v = 0; v < VECTORS; ++v)
                    weights[v] = L::load(w + v * L::N);
                CF_UNROLL(16)
                for (int i = 0; i < M; ++i) {
                    const typename L::V value = L::same(x[i][c]);
                    CF_UNROLL(16)
                    for (int v = 0; v < VECTORS; ++v)
                        sums[i][v] = L::fma(value, weights[v], sums[i][v]);
                }
            }
            if (room)
                continue;
            CF_UNROLL(16)
            for (int i = 0; i < M; ++i)
                CF_UNROLL(16)
                for (int v = 0; v < VECTORS; ++v) {
                    totals[i][v] = L::add(totals[i][v], sums[i][v]);
                    sums[i][v] = L::zero();
                }
            room = MOST_PRODUCTS;
        }
    }
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i)
        CF_UNROLL(16)
        for (int v = 0; v < VECTORS; ++v)
            sums[i][v] = L::add(totals[i][v], sums[i][v]);
    const ptrdiff_t last = job.filters - (VECTORS - 1) * L::N;
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i) {
        T *out = job.out[i] + job.out_offset;
        CF_UNROLL(16)
        for (int v = 0; v < VECTORS - 1; ++v)
            L::store(out + v * L::N, sums[i][v]);
        store_some(out + (VECTORS - 1) * L::N, sums[i][VECTORS - 1], last);
    }
}

/* The same if each channel has its own filter; filters are contiguous. */
template <typename T, int M>
void tile_by_channel(const Tile<T> &job) {
    typedef Lanes<T> L;
    for (ptrdiff_t c = 0; c < job.filters; c += L::N) {
        const ptrdiff_t n = job.filters - c;
        typename L::V sums[M];
        const typename L::V start = job.bias ? load_some(job.bias + c, n) : L::zero();
        CF_UNROLL(16)
        for (int i = 0; i < M; ++i)
            sums[i] = start;
        const T *const *in = job.in;
        for (ptrdiff_t t = 0; t < job.taps; ++t, in += M) {
            const typename L::V weights = load_some(
                job.weights + job.tap[t] * job.filters + c, n);
            if (n >= L::N)
                CF_UNROLL(16)
                for (int i = 0; i < M; ++i)
                    sums[i] = L::fma(L::load(in[i] + c), weights, sums[i]);
            else
                CF_UNROLL(16)
                for (int i = 0; i < M; ++i)
                    sums[i] = L::fma(L::load(in[i] + c, n), weights, sums[i]);
        }
        CF_UNROLL(16)
        for (int i = 0; i < M; ++i)
            store_some(job.out[i] + c, sums[i], n);
    }
}

/* Adds the products of M channels with some vectors of filters, over pixels. */
template <typename T, int M, int VECTORS>
void correlate_tile(const Correlation<T> &job) {
    typedef Lanes<T> L;
    typename L::V sums[M][VECTORS];
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i)
        CF_UNROLL(16)
        for (int v = 0; v < VECTORS; ++v)
            sums[i][v] = L::zero();
    for (ptrdiff_t p = 0; p < job.count; ++p) {
        const T *x = job.pixels[p].x + job.offset;
        const T *g = job.gradients + job.pixels[p].place * (VECTORS * L::N);
        typename L::V gradients[VECTORS];
        CF_UNROLL(16)
        for (int v = 0; v < VECTORS; ++v)
            gradients[v] = L::load(g + v * L::N);
        CF_UNROLL(16)
        for (int i = 0; i < M; ++i) {
            const typename L::V value = L::same(x[i]);
            CF_UNROLL(16)
            for (int v = 0; v < VECTORS; ++v)
                sums[i][v] = L::fma(value, gradients[v], sums[i][v]);
        }
    }
    /* Parts of the pixels are summed separately, which rounds less. */
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i)
        CF_UNROLL(16)
        for (int v = 0; v < VECTORS; ++v) {
            T *out = job.sums + (i * VECTORS + v) * L::N;
            L::store(out, job.add ? L::add(L::load(out), sums[i][v]) : sums[i][v]);
        }
}

/* The same if each channel has its own filter: M vectors of channels, `n` of them to
 * compute. Positions are those of the gradients. */
template <typename T, int M>
void correlate_by_channel(const Correlation<T> &job, ptrdiff_t n) {
    typedef Lanes<T> L;
    constexpr int END = M - 1;
    const ptrdiff_t last = n - END * L::N;
    typename L::V sums[M];
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i)
        sums[i] = L::zero();
    for (ptrdiff_t p = 0; p < job.count; ++p) {
        const T *x = job.pixels[p].x + job.offset;
        const T *g = job.gradients + job.pixels[p].place + job.offset;
        CF_UNROLL(16)
        for (int i = 0; i < END; ++i)
            sums[i] = L::fma(L::load(x + i * L::N), L::load(g + i * L::N), sums[i]);
        sums[END] = L::fma(L::load(x + END * L::N, last), L::load(g + END * L::N, last),
                           sums[END]);
    }
    CF_UNROLL(16)
    for (int i = 0; i < M; ++i) {
        T *out = job.sums + i * L::N;
        L::store(out, job.add ? L::add(L::load(out), sums[i]) : sums[i]);
    }
}

/* The sum of some runs, each multiplied by a number, for some vectors. */
template <typename T, int M>
CF_ELEMENT void sum_vectors(const T *in, const ptrdiff_t *offsets, const T *weights,
                            ptrdiff_t taps, T start, T *out) {
    typedef Lanes<T> L;
    typename L::V sums[M];
    CF_UNROLL(16)
    for (int v = 0; v < M; ++v)
        sums[v] = L::same(start);
    for (ptrdiff_t t = 0; t < taps; ++t) {
        const typename L::V weight = L::same(weights[t]);
        CF_UNROLL(16)
        for (int v = 0; v < M; ++v)
            sums[v] = L::fma(L::load(in + offsets[t] + v * L::N), weight, sums[v]);
    }
    CF_UNROLL(16)
    for (int v = 0; v < M; ++v)
        L::store(out + v * L::N, sums[v]);
}

template <typename T>
void sum_runs(const T *in, const ptrdiff_t *offsets, const T *weights, ptrdiff_t taps,
              T start, T *out, ptrdiff_t n) {
    constexpr ptrdiff_t N = Lanes<T>::N;
    ptrdiff_t i = 0;
    for (; i + 3 * N < n; i += 4 * N)
        sum_vectors<T, 4>(in + i, offsets, weights, taps, start, out + i);
    for (; i < n; i += N)
        sum_vectors<T, 1>(in + i, offsets, weights, taps, start, out + i);
}

template <typename T>
void copy_rows(const T *in, const ptrdiff_t *in_rows, ptrdiff_t in_step, T *out,
               const ptrdiff_t *out_rows, ptrdiff_t out_step, ptrdiff_t rows,
               ptrdiff_t n) {
    typedef Lanes<T> L;
    for (ptrdiff_t r = 0; r < rows; ++r) {
        const T *from = in + in_rows[r];
        T *to = out + out_rows[r];
        if (in_step == 1 && out_step == 1)
            for (ptrdiff_t i = 0; i < n; i += L::N)
                store_some(to + i, load_some(from + i, n - i), n - i);
        else if (in_step == 2 && out_step == 1)
            for (ptrdiff_t i = 0; i < n; ++i)
                to[i] = from[2 * i];
        else
            for (ptrdiff_t i = 0; i < n; ++i)
                to[i * out_step] = from[i * in_step];
    }
}

template <typename T>
void add_rows(const T *runs, T *image, const ptrdiff_t *rows, ptrdiff_t taps,
              ptrdiff_t n) {
    typedef Lanes<T> L;
    for (ptrdiff_t t = 0; t < taps; ++t, runs += n) {
        if (rows[t] < 0)
            continue;
        T *out = image + rows[t];
        ptrdiff_t i = 0;
        for (; i + L::N <= n; i += L::N)
            L::store(out + i, L::add(L::load(out + i), L::load(runs + i)));
        if (i < n)
            L::store(out + i, L::add(L::load(out + i, n - i), L::load(runs + i, n - i)),
                     n - i);
    }
}

/* Transposes a square: out[j][i] = in[i][j] for `rows` i and `columns` j, which are no
 * more than the lanes. With `fill`, rows of `out` are filled up with zeros. */
template <typename T>
void transpose(const T *const *in, ptrdiff_t rows, ptrdiff_t columns, T *const *out,
               bool fill) {
    typedef Lanes<T> L;
    typename L::V square[L::N];
    if (rows == L::N) {
        if (columns == L::N)
            for (int i = 0; i < L::N; ++i)
                square[i] = L::load(in[i]);
        else
            for (int i = 0; i < L::N; ++i)
                square[i] = L::load(in[i], columns);
        L::transpose(square);
        for (int j = 0; j < L::N; ++j)
            if (j < columns)
                L::store(out[j], square[j]);
        return;
    }
    for (int i = 0; i < L::N; ++i)
        square[i] = i < rows ? L::load(in[i], columns) : L::zero();
    L::transpose(square);
    const ptrdiff_t n = fill ? (ptrdiff_t)L::N : rows;
    for (int j = 0; j < L::N; ++j)
        if (j < columns)
            L::store(out[j], square[j], n);
}

/* The functions above by size, which is one more than these numbers. */
template <typename T, int... P, int... C, int... V>
Micro<T> micro_kernels(std::integer_sequence<int, P...>,
                       std::integer_sequence<int, C...>,
                       std::integer_sequence<int, V...>) {
    return {Lanes<T>::N, TILE_PIXELS, TILE_CHANNELS,
            {{tile<T, P + 1, 1>...}, {tile<T, P + 1, 2>...}},
            {tile_by_channel<T, P + 1>...},
            {{correlate_tile<T, C + 1, 1>...}, {correlate_tile<T, C + 1, 2>...}},
            {correlate_by_channel<T, V + 1>...}, sum_runs<T>, copy_rows<T>, add_rows<T>,
            winograd_square<T, 6, winograd_line_in<T>>,
            winograd_square<T, 4, winograd_line_filter<T, 4>>, winograd_filters<T>,
            winograd_out<T>, winograd_sums<T>, transpose<T>};
}

template <typename T>
Micro<T> micro_kernels() {
    return micro_kernels<T>(
        std::make_integer_sequence<int, TILE_PIXELS>(),
        std::make_integer_sequence<int, TILE_CHANNELS>(),
        std::make_integer_sequence<int, MOST_CHANNEL_VECTORS>());
}
