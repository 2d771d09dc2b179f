/* Arrays and indexers as CuPy hands them to kernels that it makes of expressions.
 *
 * Their memory is laid out as CuPy lays it out. Every index is checked: one outside of
 * the array ends in a KernelError of the launch, where a GPU would read or overwrite
 * something else.
 */
#pragma once
#pragma GCC system_header

#define M_PI 3.1415926535897932384626433832795
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_INF __longlong_as_double(0x7ff0000000000000LL)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000LL)
#define CUPY_FOR(i, n)                                                         \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;       \
         i < (n); i += (ptrdiff_t)blockDim.x * gridDim.x)

template <class T, int _ndim, bool _c_contiguous = false, bool _small = false>
class CArray {
    T* data_;
    ptrdiff_t size_, shape_[_ndim], strides_[_ndim];

    T& at(ptrdiff_t offset) const { return *(T*)((char*)data_ + offset); }
    static T& outside(ptrdiff_t index, ptrdiff_t size) {
        static T dummy[2];
        host_fail(index, size);
        return dummy[0];
    }

public:
    static const int ndim = _ndim;
    static const bool c_contiguous = _c_contiguous;
    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return shape_; }
    const ptrdiff_t* strides() const { return strides_; }

    template <class Int>
    const T& operator[](const Int (&index)[_ndim]) const {
        ptrdiff_t offset = 0;
        for (int axis = 0; axis < _ndim; ++axis) {
            if (index[axis] < 0 || (ptrdiff_t)index[axis] >= shape_[axis]) {
                return outside(index[axis], shape_[axis]);
            }
            offset += strides_[axis] * index[axis];
        }
        return at(offset);
    }
    const T& operator[](ptrdiff_t index) const {
        if (index < 0 || index >= size_) {
            return outside(index, size_);
        }
        if (_c_contiguous) {
            return data_[index];
        }
        ptrdiff_t offset = 0;
        for (int axis = _ndim; --axis > 0;) {
            offset += strides_[axis] * (index % shape_[axis]);
            index /= shape_[axis];
        }
        return at(offset + strides_[0] * index);
    }
    template <class Int>
    T& operator[](const Int (&index)[_ndim]) {
        return (T&)(*(const CArray*)this)[index];
    }
    T& operator[](ptrdiff_t index) { return (T&)(*(const CArray*)this)[index]; }
};

template <class T, bool _small>
class CArray<T, 0, true, _small> {
    T* data_;
    ptrdiff_t size_;

public:
    static const int ndim = 0;
    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return NULL; }
    const ptrdiff_t* strides() const { return NULL; }
    template <class U>
    T& operator[](const U&) { return *data_; }
    template <class U>
    T operator[](const U&) const { return *data_; }
};

template <int _ndim, bool _small = false>
class CIndexer {
    ptrdiff_t size_, shape_[_ndim], index_[_ndim];
    typedef ptrdiff_t index_t[_ndim];

public:
    static const int ndim = _ndim;
    ptrdiff_t size() const { return size_; }
    const index_t& get() const { return index_; }
    void set(ptrdiff_t i) {
        for (int axis = _ndim; --axis > 0;) {
            index_[axis] = i % shape_[axis];
            i /= shape_[axis];
        }
        index_[0] = i;
    }
};

template <bool _small>
class CIndexer<0, _small> {
    ptrdiff_t size_;

public:
    static const int ndim = 0;
    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* get() const { return NULL; }
    void set(ptrdiff_t) {}
};

inline int _floor_divide(int x, int y) {
    return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
}
inline long long _floor_divide(long long x, long long y) {
    return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
}
inline float _floor_divide(float x, float y) { return floor(x / y); }
inline double _floor_divide(double x, double y) { return floor(x / y); }
