/* The language of the arithmetic of one element, on the processor and on the GPU.
 *
 * A loop of the processor inlines the functions of elements; a CUDA kernel gets the
 * text of their headers before its source, for NVRTC to compile. Such a header includes
 * this one, and others of its kind; what is for the processor alone it includes by an
 * indented directive where ``__CUDACC__`` is not defined. Functions are templates over
 * the type of the arrays, and compute in it: on the GPU it may be half precision, whose
 * operators compute in float. */
#pragma once

#if defined(__CUDACC__)
#define CF_ELEMENT __device__ __forceinline__
#elif defined(__GNUC__)
#define CF_ELEMENT inline __attribute__((always_inline))
#else
#define CF_ELEMENT inline
#endif

/* Lines next to an element request its loops: see `kernels/common/element_table.hpp`,
 * which reads them. Elsewhere they expand to nothing. */
#ifndef CF_LOOPS
#define CF_LOOPS(...)
#define CF_LOOPS_OF_TWO(...)
#define CF_LOOP_OF_UFUNC(...)
#define CF_LOOP_OF_UFUNC_BUT_FLOATS(...)
#endif

#if defined(__CUDACC__)
namespace chainer_fast {
/* GPU compilers do not define INFINITY. */
CF_ELEMENT double infinity() {
    return __longlong_as_double(0x7ff0000000000000LL);
}
}
#else
#include <stddef.h>

#include <cmath>
#include <limits>
namespace chainer_fast {
CF_ELEMENT double infinity() {
    return std::numeric_limits<double>::infinity();
}
using std::ceil;
using std::exp;
using std::expm1;
using std::fabs;
using std::floor;
using std::fmax;
using std::log;
using std::log1p;
using std::pow;
using std::rint;
using std::sqrt;
using std::tanh;
}
#endif
