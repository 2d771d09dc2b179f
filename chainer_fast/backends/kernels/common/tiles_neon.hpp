/* Tiles of products for NEON, and squares that are transposed; see `panels.hpp`, which
 * includes this within its namespace.
 *
 * A row of a panel is four vectors. Of 32 registers, 20 hold the sums of 5 rows, four a row
 * of the right operand and five the left one, of four terms. With 6 rows, the compiler
 * keeps sums in memory.
 */
constexpr int NEON_ROWS = 5, QUARTERS = PANEL / 4;

/* One term of each sum, whose left factors are in one lane. */
template <int LANE, int M>
CF_ELEMENT void add_term(float32x4_t (&sum)[M][QUARTERS], const float32x4_t (&left)[M],
                         const float *right) {
    CF_UNROLL(4)
    for (int q = 0; q < QUARTERS; ++q) {
        const float32x4_t b = vld1q_f32(right + 4 * q);
        CF_UNROLL(8)
        for (int i = 0; i < M; ++i)
            sum[i][q] = vfmaq_laneq_f32(sum[i][q], b, left[i], LANE);
    }
}

template <int M, int P, bool transposed>
void tile_neon(const Tile &t, ptrdiff_t depth) {
    const ptrdiff_t row = transposed ? 1 : t.row, step = transposed ? t.row : 1;
    const ptrdiff_t right_row = t.right_row;
    for (int p = 0; p < P; ++p) {
        float32x4_t sum[M][QUARTERS], a[M];
        for (int i = 0; i < M; ++i)
            for (int q = 0; q < QUARTERS; ++q)
                sum[i][q] = vld1q_f32(t.start[p] + i * t.start_row + 4 * q);
        const float *left = t.left, *right = t.right[p];
        for (ptrdiff_t rest = depth; rest > 0; rest -= PANEL) {
            const ptrdiff_t terms = std::min(rest, PANEL);
            ptrdiff_t k = 0;
            for (; !transposed && k + 4 <= terms; k += 4, right += 4 * right_row) {
                CF_UNROLL(8)
                for (int i = 0; i < M; ++i)
                    a[i] = vld1q_f32(left + i * row + k);
                add_term<0>(sum, a, right);
                add_term<1>(sum, a, right + right_row);
                add_term<2>(sum, a, right + 2 * right_row);
                add_term<3>(sum, a, right + 3 * right_row);
            }
            for (; k < terms; ++k, right += right_row) {
                CF_UNROLL(8)
                for (int i = 0; i < M; ++i)
                    a[i] = vld1q_dup_f32(left + i * row + k * step);
                add_term<0>(sum, a, right);
            }
            left += transposed ? PANEL * step : t.panel;
        }
        for (int i = 0; i < M; ++i)
            for (int q = 0; q < QUARTERS; ++q)
                vst1q_f32(t.out[p] + i * t.out_row + 4 * q, sum[i][q]);
    }
}

template <int... M>
constexpr Tiles tiles_neon(std::integer_sequence<int, M...>) {
    return {sizeof...(M), {
        {{tile_neon<M + 1, 1, false>...}, {tile_neon<M + 1, 2, false>...}},
        {{tile_neon<M + 1, 1, true>...}, {tile_neon<M + 1, 2, true>...}}}};
}

constexpr Tiles NEON_TILES = tiles_neon(std::make_integer_sequence<int, NEON_ROWS>());

/* Transposes 4 rows of 4 elements into a panel. */
constexpr ptrdiff_t SQUARE = 4;
inline void turn(const float *a, ptrdiff_t ld, float *out) {
    const float32x4x2_t upper = vtrnq_f32(vld1q_f32(a), vld1q_f32(a + ld));
    const float32x4x2_t lower = vtrnq_f32(vld1q_f32(a + 2 * ld), vld1q_f32(a + 3 * ld));
    for (int i = 0; i < 2; ++i) {
        const float32x4_t u = upper.val[i], l = lower.val[i];
        vst1q_f32(out + i * PANEL, vcombine_f32(vget_low_f32(u), vget_low_f32(l)));
        vst1q_f32(out + (i + 2) * PANEL, vcombine_f32(vget_high_f32(u), vget_high_f32(l)));
    }
}

inline bool has_squares() { return has_neon(); }
