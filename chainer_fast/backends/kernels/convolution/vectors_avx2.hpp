/* Vectors of 32 bytes; see `micro_body.hpp`, which is included with it. */

template <typename T> struct Lanes;

template <> struct Lanes<float> {
    typedef __m256 V;
    static constexpr int N = 8;
    CF_ELEMENT static V zero() { return _mm256_setzero_ps(); }
    CF_ELEMENT static V load(const float *p) { return _mm256_loadu_ps(p); }
    CF_ELEMENT static V load(const float *p, ptrdiff_t n) {
        return _mm256_maskload_ps(p, mask(n));
    }
    CF_ELEMENT static V same(float x) { return _mm256_set1_ps(x); }
    CF_ELEMENT static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
    CF_ELEMENT static V add(V a, V b) { return _mm256_add_ps(a, b); }
    CF_ELEMENT static V sub(V a, V b) { return _mm256_sub_ps(a, b); }
    CF_ELEMENT static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
    CF_ELEMENT static void store(float *p, V v) { _mm256_storeu_ps(p, v); }
    CF_ELEMENT static void store(float *p, V v, ptrdiff_t n) {
        _mm256_maskstore_ps(p, mask(n), v);
    }
    CF_ELEMENT static __m256i mask(ptrdiff_t n) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    /* The columns of 8 vectors. */
    CF_ELEMENT static void transpose(V *r) {
        V t[8];
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
            t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
        }
        for (int i = 0; i < 8; i += 4)
            for (int j = 0; j < 2; ++j) {
                r[i + 2 * j] = _mm256_shuffle_ps(t[i + j], t[i + 2 + j], 0x44);
                r[i + 2 * j + 1] = _mm256_shuffle_ps(t[i + j], t[i + 2 + j], 0xee);
            }
        for (int j = 0; j < 4; ++j) {
            t[j] = _mm256_permute2f128_ps(r[j], r[4 + j], 0x20);
            t[4 + j] = _mm256_permute2f128_ps(r[j], r[4 + j], 0x31);
        }
        for (int j = 0; j < 8; ++j)
            r[j] = t[j];
    }
};

template <> struct Lanes<double> {
    typedef __m256d V;
    static constexpr int N = 4;
    CF_ELEMENT static V zero() { return _mm256_setzero_pd(); }
    CF_ELEMENT static V load(const double *p) { return _mm256_loadu_pd(p); }
    CF_ELEMENT static V load(const double *p, ptrdiff_t n) {
        return _mm256_maskload_pd(p, mask(n));
    }
    CF_ELEMENT static V same(double x) { return _mm256_set1_pd(x); }
    CF_ELEMENT static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
    CF_ELEMENT static V add(V a, V b) { return _mm256_add_pd(a, b); }
    CF_ELEMENT static V sub(V a, V b) { return _mm256_sub_pd(a, b); }
    CF_ELEMENT static V mul(V a, V b) { return _mm256_mul_pd(a, b); }
    CF_ELEMENT static void store(double *p, V v) { _mm256_storeu_pd(p, v); }
    CF_ELEMENT static void store(double *p, V v, ptrdiff_t n) {
        _mm256_maskstore_pd(p, mask(n), v);
    }
    CF_ELEMENT static __m256i mask(ptrdiff_t n) {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    }
    CF_ELEMENT static void transpose(V *r) {
        const V a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
        const V c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
        r[0] = _mm256_permute2f128_pd(a, c, 0x20);
        r[1] = _mm256_permute2f128_pd(b, d, 0x20);
        r[2] = _mm256_permute2f128_pd(a, c, 0x31);
        r[3] = _mm256_permute2f128_pd(b, d, 0x31);
    }
};
