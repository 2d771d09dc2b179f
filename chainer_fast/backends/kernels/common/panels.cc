/* The loops of `panels.hpp`. */
#include "chainer_fast/backends/kernels/common/panels.hpp"

#include <string.h>

#include <utility>

namespace chainer_fast {

/* What a tile does: out = start + left right, of a few rows and of one or two panels. The
 * left operand is a matrix, or the transpose of one, whose panels hold its rows. */
struct Tile {
    const float *left;
    ptrdiff_t row, panel;
    const float *right[2];
    ptrdiff_t right_row;    /* from a term to the next */
    const float *start[2];
    ptrdiff_t start_row;
    float *out[2];
    ptrdiff_t out_row;
    bool is_far;            /* the output */
};

namespace {

#ifdef CF_X86_VECTORS

/* Fetches the lines of the output, which nothing but the tile foretells, during the sums. */
template <int M, int P>
__attribute__((always_inline))
inline void fetch_output(const Tile &t) {
    for (int i = 0; i < M; ++i) {
        for (int p = 0; p < P; ++p)
            __builtin_prefetch(t.out[p] + i * t.out_row, 1);
        __builtin_prefetch(t.out[P - 1] + i * t.out_row + PANEL - 1, 1);
    }
}

/* One term of each sum. */
template <int M, int P>
__attribute__((target("avx512f"), always_inline))
inline void add_term(__m512 (&sum)[M][P], const float *a, ptrdiff_t row,
                     const float *right0, const float *right1) {
    const __m512 b0 = _mm512_loadu_ps(right0), b1 = _mm512_loadu_ps(right1);
    CF_UNROLL(8)
    for (int i = 0; i < M; ++i) {
        const __m512 x = _mm512_set1_ps(a[i * row]);
        sum[i][0] = _mm512_fmadd_ps(x, b0, sum[i][0]);
        if (P == 2)
            sum[i][P - 1] = _mm512_fmadd_ps(x, b1, sum[i][P - 1]);
    }
}

template <int M, int P, bool transposed>
__attribute__((target("avx512f")))
void tile_avx512(const Tile &t, ptrdiff_t depth) {
    if (t.is_far)
        fetch_output<M, P>(t);
    /* All loops over sums are unrolled: otherwise these are copied to memory and back
     * between loops, which took a fifth of the time of sums of 20 terms. */
    __m512 sum[M][P];
    CF_UNROLL(8)
    for (int i = 0; i < M; ++i) {
        sum[i][0] = _mm512_loadu_ps(t.start[0] + i * t.start_row);
        sum[i][P - 1] = _mm512_loadu_ps(t.start[P - 1] + i * t.start_row);
    }
    const float *left = t.left, *right0 = t.right[0], *right1 = t.right[P - 1];
    const ptrdiff_t row = transposed ? 1 : t.row, step = transposed ? t.row : 1;
    const ptrdiff_t panel = transposed ? PANEL * step : t.panel, right_row = t.right_row;
    for (; depth >= PANEL; depth -= PANEL) {
        CF_UNROLL(4)
        for (ptrdiff_t k = 0; k < PANEL; ++k) {
            add_term(sum, left + k * step, row, right0, right1);
            right0 += right_row, right1 += right_row;
        }
        left += panel;
    }
    for (ptrdiff_t k = 0; k < depth; ++k) {
        add_term(sum, left + k * step, row, right0, right1);
        right0 += right_row, right1 += right_row;
    }
    float *out0 = t.out[0], *out1 = t.out[P - 1];
    const ptrdiff_t out_row = t.out_row;
    CF_UNROLL(8)
    for (int i = 0; i < M; ++i) {
        _mm512_storeu_ps(out0 + i * out_row, sum[i][0]);
        if (P == 2)
            _mm512_storeu_ps(out1 + i * out_row, sum[i][P - 1]);
    }
}

template <int M, int P, bool transposed>
__attribute__((target("avx2,fma")))
void tile_avx2(const Tile &t, ptrdiff_t depth) {
    const ptrdiff_t row = transposed ? 1 : t.row, step = transposed ? t.row : 1;
    if (t.is_far)
        fetch_output<M, P>(t);
    for (int p = 0; p < P; ++p) {
        __m256 sum[M][2];
        CF_UNROLL(8)
        for (int i = 0; i < M; ++i)
            CF_UNROLL(2)
            for (int q = 0; q < 2; ++q)
                sum[i][q] = _mm256_loadu_ps(t.start[p] + i * t.start_row + 8 * q);
        const float *left = t.left, *right = t.right[p];
        for (ptrdiff_t rest = depth; rest > 0; rest -= PANEL) {
            const float *a = left;
            for (ptrdiff_t k = std::min(rest, PANEL); k > 0; --k) {
                const __m256 b0 = _mm256_loadu_ps(right), b1 = _mm256_loadu_ps(right + 8);
                CF_UNROLL(8)
                for (int i = 0; i < M; ++i) {
                    const __m256 x = _mm256_set1_ps(a[i * row]);
                    sum[i][0] = _mm256_fmadd_ps(x, b0, sum[i][0]);
                    sum[i][1] = _mm256_fmadd_ps(x, b1, sum[i][1]);
                }
                a += step, right += t.right_row;
            }
            left += transposed ? PANEL * step : t.panel;
        }
        CF_UNROLL(8)
        for (int i = 0; i < M; ++i)
            CF_UNROLL(2)
            for (int q = 0; q < 2; ++q)
                _mm256_storeu_ps(t.out[p] + i * t.out_row + 8 * q, sum[i][q]);
    }
}

template <int... M>
constexpr Tiles tiles_avx512(std::integer_sequence<int, M...>) {
    return {sizeof...(M), {
        {{tile_avx512<M + 1, 1, false>...}, {tile_avx512<M + 1, 2, false>...}},
        {{tile_avx512<M + 1, 1, true>...}, {tile_avx512<M + 1, 2, true>...}}}};
}

template <int... M>
constexpr Tiles tiles_avx2(std::integer_sequence<int, M...>) {
    return {sizeof...(M), {
        {{tile_avx2<M + 1, 1, false>...}, {tile_avx2<M + 1, 2, false>...}},
        {{tile_avx2<M + 1, 1, true>...}, {tile_avx2<M + 1, 2, true>...}}}};
}

constexpr Tiles AVX512_TILES = tiles_avx512(std::make_integer_sequence<int, 8>());
constexpr Tiles AVX2_TILES = tiles_avx2(std::make_integer_sequence<int, 6>());

/* Transposes 8 rows of 8 elements into a panel. */
constexpr ptrdiff_t SQUARE = 8;
__attribute__((target("avx2")))
inline void turn(const float *a, ptrdiff_t ld, float *out) {
    __m256 row[8], pair[8];
    for (int i = 0; i < 8; ++i)
        row[i] = _mm256_loadu_ps(a + i * ld);
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; ++j) {
            row[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
            row[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; ++i) {
        _mm256_storeu_ps(out + i * PANEL,
                         _mm256_permute2f128_ps(row[i], row[i + 4], 0x20));
        _mm256_storeu_ps(out + (i + 4) * PANEL,
                         _mm256_permute2f128_ps(row[i], row[i + 4], 0x31));
    }
}

inline bool has_squares() { return has_avx2(); }
#elif defined(CF_NEON)
#include "chainer_fast/backends/kernels/common/tiles_neon.hpp"
#endif

}  // namespace

const Tiles *find_tiles() {
#ifdef CF_X86_VECTORS
    if (has_avx512())
        return &AVX512_TILES;
    if (has_avx2())
        return &AVX2_TILES;
#elif defined(CF_NEON)
    if (has_neon())
        return &NEON_TILES;
#endif
    return nullptr;
}

void product_of_tiles(
        const Tiles &tiles, bool transposed, Panels<const float> left, ptrdiff_t rows,
        ptrdiff_t depth, const float *const *right, ptrdiff_t right_row,
        ptrdiff_t columns, Panels<const float> start, Panels<float> out, bool is_far) {
    const ptrdiff_t count = panels_of(columns);
    const bool is_full = columns % PANEL == 0;
    float first[8 * PAIR], result[8 * PAIR];
    if (!is_full)
        memset(first, 0, sizeof(first));
    Tile t;
    t.row = left.row, t.panel = left.panel, t.right_row = right_row;
    t.is_far = is_far;
    for (ptrdiff_t p = 0; p < count; ++p)
        t.right[p] = right[p];
    /* Calls f(panel, width) for each panel. */
    const auto each = [=](const auto &f) {
        if (count == 2)
            f(0, PANEL);
        f(count - 1, columns - (count - 1) * PANEL);
    };
    for (ptrdiff_t i = 0, n; i < rows; i += n) {
        n = std::min(tiles.rows, rows - i);
        if (transposed) {
            n = std::min(n, PANEL - i % PANEL);
            t.left = left.data + i / PANEL * left.panel + i % PANEL;
        }
        else
            t.left = left.data + i * left.row;
        const float *s = start.data + i * start.row;
        float *o = out.data + i * out.row;
        if (is_full) {
            for (ptrdiff_t p = 0; p < count; ++p)
                t.start[p] = s + p * start.panel, t.out[p] = o + p * out.panel;
            t.start_row = start.row, t.out_row = out.row;
        }
        else {
            t.start_row = start.row ? PAIR : 0, t.out_row = PAIR;
            for (ptrdiff_t r = 0; r < (start.row ? n : i == 0); ++r)
                each([&](ptrdiff_t p, ptrdiff_t width) {
                    memcpy(first + r * PAIR + p * PANEL,
                           s + r * start.row + p * start.panel, width * sizeof(float));
                });
            for (ptrdiff_t p = 0; p < count; ++p)
                t.start[p] = first + p * PANEL, t.out[p] = result + p * PANEL;
        }
        tiles.loops[transposed][count - 1][n - 1](t, depth);
        if (!is_full)
            for (ptrdiff_t r = 0; r < n; ++r)
                each([&](ptrdiff_t p, ptrdiff_t width) {
                    memcpy(o + r * out.row + p * out.panel,
                           result + r * PAIR + p * PANEL, width * sizeof(float));
                });
    }
}

void product_of_panels(
        const Tiles &tiles, bool transposed, Panels<const float> left, ptrdiff_t rows,
        ptrdiff_t depth, Panels<const float> right, ptrdiff_t columns,
        Panels<const float> start, Panels<float> out, bool is_far) {
    for (ptrdiff_t k = 0; k == 0 || k < depth; k += DEPTH) {
        const ptrdiff_t terms = std::min(DEPTH, depth - k);
        const Panels<const float> from = k ? Panels<const float>{
            out.data, out.row, out.panel} : start;
        const Panels<const float> part = transposed ? left.below(k) : left.from(k / PANEL);
        for (ptrdiff_t i = 0; i < rows; i += ROWS) {
            const ptrdiff_t m = std::min(ROWS, rows - i);
            for (ptrdiff_t j = 0; j < columns; j += 2 * PANEL) {
                const float *pair[2];
                for (int p = 0; p < 2; ++p)
                    pair[p] = right.data + (j / PANEL + p) * right.panel + k * right.row;
                product_of_tiles(
                    tiles, transposed, transposed ? part.from(i / PANEL) : part.below(i), m,
                    terms, pair, right.row, std::min(2 * PANEL, columns - j),
                    from.below(i).from(j / PANEL), out.below(i).from(j / PANEL),
                    is_far);
            }
        }
    }
}

CF_CLONES void pack_rows(const float *a, ptrdiff_t ld, ptrdiff_t rows, ptrdiff_t columns,
                      Panels<float> out) {
    const ptrdiff_t rest = columns % PANEL, full = columns / PANEL;
    for (ptrdiff_t i = 0; i < rows; ++i) {
        const float *from = a + i * ld;
        float *to = out.data + i * out.row;
        for (ptrdiff_t p = 0; p < full; ++p, from += PANEL, to += out.panel)
            memcpy(to, from, PANEL * sizeof(float));
        for (ptrdiff_t j = 0; rest && j < PANEL; ++j)
            to[j] = j < rest ? from[j] : 0;
    }
}

CF_CLONES void unpack_rows(Panels<const float> a, ptrdiff_t rows, ptrdiff_t columns,
                        float *out, ptrdiff_t ld) {
    const ptrdiff_t rest = columns % PANEL, full = columns / PANEL;
    for (ptrdiff_t i = 0; i < rows; ++i) {
        const float *from = a.data + i * a.row;
        float *to = out + i * ld;
        for (ptrdiff_t p = 0; p < full; ++p, from += a.panel, to += PANEL)
            memcpy(to, from, PANEL * sizeof(float));
        for (ptrdiff_t j = 0; j < rest; ++j)
            to[j] = from[j];
    }
}

CF_CLONES void pack_transposed(const float *a, ptrdiff_t ld, ptrdiff_t rows, ptrdiff_t columns,
                        float *out) {
    float block[PANEL][PANEL];
    memset(block, 0, sizeof(block));
    ptrdiff_t j = 0;
#if defined(CF_X86_VECTORS) || defined(CF_NEON)
    if (rows == PANEL && has_squares())
        for (; j + PANEL <= columns; j += PANEL)
            for (ptrdiff_t i = 0; i < PANEL; i += SQUARE)
                for (ptrdiff_t k = 0; k < PANEL; k += SQUARE)
                    turn(a + i * ld + j + k, ld, out + (j + k) * PANEL + i);
#endif
    for (; j < columns; j += PANEL) {
        const ptrdiff_t n = std::min(PANEL, columns - j);
        if (n < PANEL)
            memset(block, 0, sizeof(block));
        for (ptrdiff_t i = 0; i < rows; ++i)
            if (n == PANEL)
                memcpy(block[i], a + i * ld + j, PANEL * sizeof(float));
            else
                memcpy(block[i], a + i * ld + j, n * sizeof(float));
        for (ptrdiff_t k = 0; k < PANEL; ++k) {
            CF_UNROLL(16)
            for (ptrdiff_t i = 0; i < PANEL; ++i)
                out[(j + k) * PANEL + i] = block[i][k];
        }
    }
}

}  // namespace chainer_fast
