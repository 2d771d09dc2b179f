/* Patches and convolutions of arrays of all types with loops. The GIL is
 * released for large tasks. */
#ifndef CHAINER_FAST_CONVOLUTION_CALLS_HPP
#define CHAINER_FAST_CONVOLUTION_CALLS_HPP

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/convolution/dilation.hpp"

namespace chainer_fast::convolution {
namespace {

/* Multiplications, or copied elements, from which on the GIL is released. */
constexpr ptrdiff_t LONG_PRODUCT = 65536;

inline ptrdiff_t products(const Convolution &c) {
    return c.images * c.columns * c.depth * c.filters * c.groups;
}

/* All patches of images with so many planes, in C order. */
inline void gather_patches(ptrdiff_t itemsize, const void *img, void *col,
                           const Window &w, ptrdiff_t planes, const void *pval) {
    const Release release(planes * w.taps * w.rows * w.width >= LONG_PRODUCT);
    const auto gather = itemsize == 1 ? gather_all<char>
        : itemsize == 2 ? gather_all<short>
        : itemsize == 4 ? gather_all<float> : gather_all<double>;
    gather(img, col, w, planes, pval);
}

inline void scatter_patches(char kind, const void *col, void *img, const Window &w,
                            ptrdiff_t planes) {
    const Release release(planes * w.taps * w.rows * w.width >= LONG_PRODUCT);
    (kind == 'f' ? scatter_all<float> : scatter_all<double>)(col, img, w, planes);
}

typedef Images<void> AnyImages;    /* of either type */

/* By patches and products of BLAS if given, otherwise by vectors; returns whether that
 * was possible, as it is for images that are not planes. */
template <typename T>
bool run(Task task, const Convolution &c, Gemm gemm, const AnyImages &any_images,
         T *filters, const AnyImages &any_places, const T *bias, bool planes) {
    const Images<T> images = {(T *)any_images.data, any_images.steps};
    const Images<T> places = {(T *)any_places.data, any_places.steps};
    if (gemm)
        Runner<T>{task, c, gemm, bias}.run(images.data, filters, places.data);
    else if (planes)
        return run_by_planes(task, c, images.data, filters, places.data, bias);
    else if (!run_by_parts(task, c, images, filters, places, bias))
        run_channels_last(task, c, images, filters, places, bias);
    return true;
}

/* Computes one of three arrays from the others; throws if allocation fails. */
inline bool run(char kind, Task task, const Convolution &c, Gemm gemm,
                const AnyImages &images, void *filters, const AnyImages &places,
                const void *bias, bool planes) {
    const Release release(products(c) >= LONG_PRODUCT);
    return kind == 'f'
        ? run(task, c, gemm, images, (float *)filters, places, (const float *)bias,
              planes)
        : run(task, c, gemm, images, (double *)filters, places, (const double *)bias,
              planes);
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
