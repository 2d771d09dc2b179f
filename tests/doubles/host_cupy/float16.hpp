/* Half floats: the class of CuPy, with the same constructors and conversions. */
#pragma once
#pragma GCC system_header

struct __half_raw {
    unsigned short x;
};
struct __half {
    _Float16 data;
    __half() {}
    __half(float v) : data(v) {}
    explicit __half(double v) : data(v) {}
    __half(const __half_raw& v) : data(host_bits<_Float16>(v.x)) {}
    operator float() const { return data; }
    operator __half_raw() const { return host_bits<__half_raw>(data); }
};
typedef __half half;
inline float __half2float(half v) { return v; }
inline half __float2half(float v) { return v; }
inline half __float2half_rn(float v) { return v; }
inline half __ushort_as_half(unsigned short v) { return host_bits<half>(v); }
inline unsigned short __half_as_ushort(half v) { return host_bits<unsigned short>(v); }

class float16 {
    _Float16 data;

public:
    float16() {}
    float16(float v) : data(v) {}
    explicit float16(bool v) : data(v) {}
    explicit float16(double v) : data(v) {}
    explicit float16(int v) : data(v) {}
    explicit float16(unsigned int v) : data(v) {}
    explicit float16(long long v) : data(v) {}
    explicit float16(unsigned long long v) : data(v) {}
    explicit float16(const half& v) : data(v.data) {}
    explicit float16(const __half_raw& v) : data(half(v).data) {}
    operator float() const { return data; }

    static const unsigned short nan = 0x7e00u;
    int iszero() const { return data == 0; }
    int isnan() const { return data != data; }
    int isinf() const { return ::isinf(float(data)); }
    int isfinite() const { return ::isfinite(float(data)); }
    int signbit() const { return ::signbit(float(data)); }

    template <class T>
    float16& operator+=(const T& v) { return *this = *this + v; }
    template <class T>
    float16& operator-=(const T& v) { return *this = *this - v; }
    template <class T>
    float16& operator*=(const T& v) { return *this = *this * v; }
    template <class T>
    float16& operator/=(const T& v) { return *this = *this / v; }
};

inline float16 copysign(float16 x, float16 y) {
    return float16(copysignf(float(x), float(y)));
}
inline float16 min(float16 x, float16 y) { return float16(min(float(x), float(y))); }
inline float16 max(float16 x, float16 y) { return float16(max(float(x), float(y))); }
inline float16 fmin(float16 x, float16 y) { return float16(fmin(float(x), float(y))); }
inline float16 fmax(float16 x, float16 y) { return float16(fmax(float(x), float(y))); }
inline int iszero(float16 x) { return x.iszero(); }
inline int isnan(float16 x) { return x.isnan(); }
inline int isinf(float16 x) { return x.isinf(); }
inline int isfinite(float16 x) { return x.isfinite(); }
inline int signbit(float16 x) { return x.signbit(); }
inline float16 atomicAdd(float16* at, float16 v) {
    float16 old = *at;
    *at = old + v;
    return old;
}
