/* CUDA C++ for a C++ compiler: as much of the language as kernels find under NVRTC.
 *
 * Nothing of the standard library is included, so that what NVRTC does not know fails
 * to compile here as well: macros of <cmath>, std::, int32_t. compiler.py writes the
 * mathematical functions, which are lists of names, in front of this header. The order
 * of threads and what they share is the business of block.cpp.
 */
#pragma GCC system_header

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
#define __device__
#define __host__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define NULL 0
#define assert(condition) ((condition) ? (void)0 : host_fail(-2, 0))

typedef decltype(sizeof 0) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
};
static const int warpSize = 32;

extern "C" {
int printf(const char*, ...);
void* memcpy(void*, const void*, size_t);
void* memset(void*, int, size_t);
/* In block.cpp. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
extern char* host_shared_memory;
void host_fail(long long index, long long size);
void host_wait(bool block);
void* host_slot(int lane);
}

template <class To, class From>
inline To host_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To out;
    memcpy(&out, &value, sizeof out);
    return out;
}
inline float __int_as_float(int v) { return host_bits<float>(v); }
inline int __float_as_int(float v) { return host_bits<int>(v); }
inline float __uint_as_float(unsigned int v) { return host_bits<float>(v); }
inline unsigned int __float_as_uint(float v) { return host_bits<unsigned int>(v); }
inline double __longlong_as_double(long long v) { return host_bits<double>(v); }
inline long long __double_as_longlong(double v) { return host_bits<long long>(v); }
inline int __popc(unsigned int v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
template <class V>
inline V __ldg(const V* at) { return *at; }

inline int abs(int v) { return v < 0 ? -v : v; }
inline long abs(long v) { return v < 0 ? -v : v; }
inline long long abs(long long v) { return v < 0 ? -v : v; }
inline float abs(float v) { return __builtin_fabsf(v); }
inline double abs(double v) { return __builtin_fabs(v); }
inline bool isnan(float v) { return v != v; }
inline bool isnan(double v) { return v != v; }
inline bool isinf(float v) { return __builtin_isinf(v); }
inline bool isinf(double v) { return __builtin_isinf(v); }
inline bool isfinite(float v) { return __builtin_isfinite(v); }
inline bool isfinite(double v) { return __builtin_isfinite(v); }
inline bool signbit(float v) { return __builtin_signbit(v); }
inline bool signbit(double v) { return __builtin_signbit(v); }
inline float pow(float x, int n) { return powf(x, n); }
inline double pow(double x, int n) { return pow(x, (double)n); }
inline float ldexp(float x, int n) { return ldexpf(x, n); }
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float frexp(float x, int* n) { return frexpf(x, n); }
inline float modf(float x, float* whole) { return modff(x, whole); }

/* CUDA has these, the C library has not. */
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * x); }
inline float sinpi(float x) { return sin(3.14159265358979323846 * x); }
inline double cospi(double x) { return cos(3.14159265358979323846 * x); }
inline float cospi(float x) { return cos(3.14159265358979323846 * x); }
inline double normcdf(double x) { return .5 * erfc(-x / sqrt(2.)); }
inline float normcdf(float x) { return normcdf((double)x); }
inline float normcdff(float x) { return normcdf((double)x); }
/* Where erfc is y. An estimate for large and small y, then Newton's steps. */
inline double erfcinv(double y) {
    if (!(y > 0 && y < 2)) {
        double infinity = host_bits<double>(0x7ff0000000000000LL);
        return y == 0 ? infinity : y == 2 ? -infinity : infinity - infinity;
    }
    if (y > 1) {
        return -erfcinv(2 - y);
    }
    double t = sqrt(-2 * log(y / 2));
    double x = (t - (2.30753 + t * .27061) / (1 + t * (.99229 + t * .04481)))
               * .70710678118654752;
    for (int i = 0; i < 4; ++i) {
        double error = erfc(x) - y;
        double slope = 1.12837916709551257 * exp(-x * x);
        if (slope == 0) {
            break;
        }
        x += error / (slope - x * error);
    }
    return x;
}
inline double erfinv(double y) {
    if (fabs(y) > .5) {
        return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
    }
    double x = .88622692545275801 * y;
    for (int i = 0; i < 6; ++i) {
        x -= (erf(x) - y) / (1.12837916709551257 * exp(-x * x));
    }
    return x;
}
inline double normcdfinv(double y) { return -sqrt(2.) * erfcinv(2 * y); }
inline float erfcinv(float y) { return erfcinv((double)y); }
inline float erfcinvf(float y) { return erfcinv((double)y); }
inline float erfinv(float y) { return erfinv((double)y); }
inline float erfinvf(float y) { return erfinv((double)y); }
inline float normcdfinv(float y) { return normcdfinv((double)y); }
inline float normcdfinvf(float y) { return normcdfinv((double)y); }
/* Faster and less exact there. */
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }

inline void __syncthreads() { host_wait(true); }
inline void __syncwarp(unsigned int = 0xffffffff) { host_wait(false); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline int host_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
/* All threads of a warp put their value down, then look at that of another. */
template <class V>
inline V host_exchange(V value, int from) {
    static_assert(sizeof(V) <= 8, "shuffles are for values of 4 or 8 bytes");
    memcpy(host_slot(host_lane()), &value, sizeof value);
    host_wait(false);
    if (from >= 0) {
        memcpy(&value, host_slot(from), sizeof value);
    }
    host_wait(false);
    return value;
}
template <class V>
inline V __shfl_sync(unsigned int, V value, int lane, int width = 32) {
    return host_exchange(value, host_lane() / width * width + (lane & (width - 1)));
}
template <class V>
inline V __shfl_up_sync(unsigned int, V value, unsigned int delta, int width = 32) {
    bool inside = host_lane() % width >= (int)delta;
    return host_exchange(value, inside ? host_lane() - (int)delta : -1);
}
template <class V>
inline V __shfl_down_sync(unsigned int, V value, unsigned int delta, int width = 32) {
    bool inside = host_lane() % width + (int)delta < width;
    return host_exchange(value, inside ? host_lane() + (int)delta : -1);
}
template <class V>
inline V __shfl_xor_sync(unsigned int, V value, int mask, int width = 32) {
    int from = host_lane() ^ mask;
    return host_exchange(value, from / width > host_lane() / width ? -1 : from);
}

/* Calls of a kernel with pointers to its arguments, as the driver has them. */
template <int... I>
struct host_indices {};
template <int N, int... I>
struct host_range : host_range<N - 1, N - 1, I...> {};
template <int... I>
struct host_range<0, I...> {
    typedef host_indices<I...> type;
};
template <class... P, int... I>
inline void host_call(void (*kernel)(P...), void** args, host_indices<I...>) {
    kernel(*(P*)args[I]...);
}
template <class... P>
inline void host_call(void (*kernel)(P...), void** args) {
    host_call(kernel, args, typename host_range<sizeof...(P)>::type());
}
template <class... P>
inline int host_sizes(void (*)(P...), size_t* sizes) {
    size_t each[] = {sizeof(P)..., alignof(P)..., 0};
    memcpy(sizes, each, sizeof each);
    return sizeof...(P);
}
