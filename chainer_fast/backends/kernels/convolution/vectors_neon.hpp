/* Vectors of 32 bytes, each in two registers; see `micro_body.hpp`, which this is included
 * beside. Two loads of a tile's filters then serve as many multiplications as do those of
 * longer registers. */

template <typename T> struct Lanes;

/* The first n of up to N elements. */
template <int N, typename T>
CF_ELEMENT void copy_some(const T *from, T *to, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < N; ++i)
        if (i < n)
            to[i] = from[i];
}

template <> struct Lanes<float> {
    struct V { float32x4_t low, high; };
    static constexpr int N = 8;
    CF_ELEMENT static V zero() { return same(0); }
    CF_ELEMENT static V load(const float *p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
    CF_ELEMENT static V load(const float *p, ptrdiff_t n) {
        if (n >= N)
            return load(p);
        float some[N] = {};
        copy_some<N>(p, some, n);
        return load(some);
    }
    CF_ELEMENT static V same(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
    CF_ELEMENT static V fma(V a, V b, V c) {
        return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
    }
    CF_ELEMENT static V add(V a, V b) {
        return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
    }
    CF_ELEMENT static V sub(V a, V b) {
        return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
    }
    CF_ELEMENT static V mul(V a, V b) {
        return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
    }
    CF_ELEMENT static void store(float *p, V v) {
        vst1q_f32(p, v.low);
        vst1q_f32(p + 4, v.high);
    }
    CF_ELEMENT static void store(float *p, V v, ptrdiff_t n) {
        float some[N];
        store(some, v);
        copy_some<N>(some, p, n);
    }
    /* The columns of 8 vectors. */
    CF_ELEMENT static void transpose(V *r) {
        float square[N][N];
        for (int i = 0; i < N; i += 4) {
            turn(r[i].low, r[i + 1].low, r[i + 2].low, r[i + 3].low, &square[0][i]);
            turn(r[i].high, r[i + 1].high, r[i + 2].high, r[i + 3].high, &square[4][i]);
        }
        for (int i = 0; i < N; ++i)
            r[i] = load(square[i]);
    }
    CF_ELEMENT static void turn(float32x4_t a, float32x4_t b, float32x4_t c,
                                float32x4_t d, float *out) {
        const float32x4x2_t upper = vtrnq_f32(a, b), lower = vtrnq_f32(c, d);
        for (int i = 0; i < 2; ++i) {
            const float32x4_t u = upper.val[i], l = lower.val[i];
            vst1q_f32(out + i * N, vcombine_f32(vget_low_f32(u), vget_low_f32(l)));
            vst1q_f32(out + (i + 2) * N, vcombine_f32(vget_high_f32(u), vget_high_f32(l)));
        }
    }
};

template <> struct Lanes<double> {
    struct V { float64x2_t low, high; };
    static constexpr int N = 4;
    CF_ELEMENT static V zero() { return same(0); }
    CF_ELEMENT static V load(const double *p) { return {vld1q_f64(p), vld1q_f64(p + 2)}; }
    CF_ELEMENT static V load(const double *p, ptrdiff_t n) {
        if (n >= N)
            return load(p);
        double some[N] = {};
        copy_some<N>(p, some, n);
        return load(some);
    }
    CF_ELEMENT static V same(double x) { return {vdupq_n_f64(x), vdupq_n_f64(x)}; }
    CF_ELEMENT static V fma(V a, V b, V c) {
        return {vfmaq_f64(c.low, a.low, b.low), vfmaq_f64(c.high, a.high, b.high)};
    }
    CF_ELEMENT static V add(V a, V b) {
        return {vaddq_f64(a.low, b.low), vaddq_f64(a.high, b.high)};
    }
    CF_ELEMENT static V sub(V a, V b) {
        return {vsubq_f64(a.low, b.low), vsubq_f64(a.high, b.high)};
    }
    CF_ELEMENT static V mul(V a, V b) {
        return {vmulq_f64(a.low, b.low), vmulq_f64(a.high, b.high)};
    }
    CF_ELEMENT static void store(double *p, V v) {
        vst1q_f64(p, v.low);
        vst1q_f64(p + 2, v.high);
    }
    CF_ELEMENT static void store(double *p, V v, ptrdiff_t n) {
        double some[N];
        store(some, v);
        copy_some<N>(some, p, n);
    }
    CF_ELEMENT static void transpose(V *r) {
        const V a = r[0], b = r[1], c = r[2], d = r[3];
        r[0] = {vtrn1q_f64(a.low, b.low), vtrn1q_f64(c.low, d.low)};
        r[1] = {vtrn2q_f64(a.low, b.low), vtrn2q_f64(c.low, d.low)};
        r[2] = {vtrn1q_f64(a.high, b.high), vtrn1q_f64(c.high, d.high)};
        r[3] = {vtrn2q_f64(a.high, b.high), vtrn2q_f64(c.high, d.high)};
    }
};
