/* Vectors of 64 bytes; see `micro_body.hpp`, which is included with it. */

template <typename T> struct Lanes;

template <> struct Lanes<float> {
    typedef __m512 V;
    static constexpr int N = 16;
    CF_ELEMENT static V zero() { return _mm512_setzero_ps(); }
    CF_ELEMENT static V load(const float *p) { return _mm512_loadu_ps(p); }
    CF_ELEMENT static V load(const float *p, ptrdiff_t n) {
        return _mm512_maskz_loadu_ps(mask(n), p);
    }
    CF_ELEMENT static V same(float x) { return _mm512_set1_ps(x); }
    CF_ELEMENT static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
    CF_ELEMENT static V add(V a, V b) { return _mm512_add_ps(a, b); }
    CF_ELEMENT static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
    CF_ELEMENT static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
    CF_ELEMENT static void store(float *p, V v) { _mm512_storeu_ps(p, v); }
    CF_ELEMENT static void store(float *p, V v, ptrdiff_t n) {
        _mm512_mask_storeu_ps(p, mask(n), v);
    }
    CF_ELEMENT static __mmask16 mask(ptrdiff_t n) {
        return (__mmask16)((1u << n) - 1);
    }
    /* The columns of 16 vectors. */
    CF_ELEMENT static void transpose(V *r) {
        V t[16];
        for (int i = 0; i < 16; i += 2) {
            t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
            t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
        }
        for (int i = 0; i < 16; i += 4)
            for (int j = 0; j < 2; ++j) {
                const __m512d a = _mm512_castps_pd(t[i + j]);
                const __m512d b = _mm512_castps_pd(t[i + 2 + j]);
                r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
                r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
            }
        for (int i = 0; i < 16; i += 8)
            for (int j = 0; j < 4; ++j) {
                t[i + j] = _mm512_shuffle_f32x4(r[i + j], r[i + 4 + j], 0x88);
                t[i + 4 + j] = _mm512_shuffle_f32x4(r[i + j], r[i + 4 + j], 0xdd);
            }
        for (int j = 0; j < 8; ++j) {
            r[j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0x88);
            r[8 + j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0xdd);
        }
    }
};

template <> struct Lanes<double> {
    typedef __m512d V;
    static constexpr int N = 8;
    CF_ELEMENT static V zero() { return _mm512_setzero_pd(); }
    CF_ELEMENT static V load(const double *p) { return _mm512_loadu_pd(p); }
    CF_ELEMENT static V load(const double *p, ptrdiff_t n) {
        return _mm512_maskz_loadu_pd(mask(n), p);
    }
    CF_ELEMENT static V same(double x) { return _mm512_set1_pd(x); }
    CF_ELEMENT static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
    CF_ELEMENT static V add(V a, V b) { return _mm512_add_pd(a, b); }
    CF_ELEMENT static V sub(V a, V b) { return _mm512_sub_pd(a, b); }
    CF_ELEMENT static V mul(V a, V b) { return _mm512_mul_pd(a, b); }
    CF_ELEMENT static void store(double *p, V v) { _mm512_storeu_pd(p, v); }
    CF_ELEMENT static void store(double *p, V v, ptrdiff_t n) {
        _mm512_mask_storeu_pd(p, mask(n), v);
    }
    CF_ELEMENT static __mmask8 mask(ptrdiff_t n) { return (__mmask8)((1u << n) - 1); }
    CF_ELEMENT static void transpose(V *r) {
        V t[8];
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
            t[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
        }
        for (int i = 0; i < 8; i += 4)
            for (int j = 0; j < 2; ++j) {
                r[i + j] = _mm512_shuffle_f64x2(t[i + j], t[i + 2 + j], 0x88);
                r[i + 2 + j] = _mm512_shuffle_f64x2(t[i + j], t[i + 2 + j], 0xdd);
            }
        for (int j = 0; j < 4; ++j) {
            t[j] = _mm512_shuffle_f64x2(r[j], r[4 + j], 0x88);
            t[4 + j] = _mm512_shuffle_f64x2(r[j], r[4 + j], 0xdd);
        }
        for (int j = 0; j < 8; ++j)
            r[j] = t[j];
    }
};
