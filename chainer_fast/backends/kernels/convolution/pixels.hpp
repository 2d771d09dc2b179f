/* Images with channels last in memory, and copies with their padding. */
#ifndef CHAINER_FAST_CONVOLUTION_PIXELS_HPP
#define CHAINER_FAST_CONVOLUTION_PIXELS_HPP

#include <string.h>

#include "chainer_fast/_cpu/aligned.hpp"
#include "chainer_fast/_cpu/buffer.hpp"
#include "chainer_fast/backends/kernels/convolution/lines.hpp"
#include "chainer_fast/backends/kernels/convolution/micro.hpp"

namespace chainer_fast::convolution {
namespace {

/* Multiplications, or copied elements, that justify a thread: they take two
 * microseconds or more. */
constexpr ptrdiff_t GRAIN_PRODUCTS = 131072, GRAIN_COPIES = 8192;

/* Number of pieces that balances work between threads. */
inline ptrdiff_t pieces_wanted() {
    return std::max<ptrdiff_t>(8, 2 * thread_limit());
}

/* Memory for vectors; throws if allocation fails. */
template <typename T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(ptrdiff_t n)
            : data_((T *)take_aligned(64, (n * sizeof(T) + 63) / 64 * 64 + 64)) {
        if (!data_)
            throw std::bad_alloc();
    }
    ~Buffer() { free_aligned(data_); }
    Buffer(Buffer &&other) : data_(other.data_) { other.data_ = nullptr; }
    Buffer &operator=(Buffer &&other) {
        std::swap(data_, other.data_);
        return *this;
    }
    T *get() const { return data_; }

private:
    T *data_ = nullptr;
};

/* An array of images with channels last, or in C order; distances are in elements. */
template <typename T>
struct Images {
    T *data;
    Steps steps;
};

/* With few channels, neighbours along the last axis are treated as channels, since
 * they are also contiguous if the padding is in memory. */
inline bool joins_taps(const Window &w, ptrdiff_t groups, ptrdiff_t channels) {
    const ptrdiff_t last = w.nd - 1;
    return groups == 1 && channels <= 16 && w.ksize[last] > 1 && w.dilate[last] == 1
        && w.stride[last] <= w.ksize[last];
}

/* Changes a window to that of images that have the padding of the last axis in memory,
 * where elements of the window along that axis are channels. */
inline void pad_window(Window &w, ptrdiff_t channels, Steps &steps) {
    const ptrdiff_t last = w.nd - 1;
    const ptrdiff_t width = (w.outs[last] - 1) * w.stride[last] + w.ksize[last];
    ptrdiff_t step = channels;
    steps.axis[last] = step;
    step *= width;
    for (ptrdiff_t j = last - 1; j >= 0; --j) {
        steps.axis[j] = step;
        step *= w.length[j];
    }
    steps.image = step;
    w.taps /= w.ksize[last];
    w.ksize[last] = 1;
    w.pad[last] = 0;
    w.length[last] = width;
}

/* A copy of images with padding along the last axis, to which it changes the window. */
template <typename T>
void pad_columns(const Images<T> &given, ptrdiff_t images, ptrdiff_t channels, Window &w,
                 Images<T> &padded, Buffer<T> &copy) {
    const ptrdiff_t last = w.nd - 1, pad = w.pad[last], length = w.length[last];
    pad_window(w, channels, padded.steps);
    const ptrdiff_t width = w.length[last];
    const ptrdiff_t rows = padded.steps.image / (width * channels);
    copy = Buffer<T>(images * padded.steps.image);
    padded.data = copy.get();
    const ptrdiff_t first = std::min(pad, width);
    const ptrdiff_t end = std::max(std::min(pad + length, width), first);
    const ptrdiff_t apart = given.steps.axis[last];
    parallel(images * rows, GRAIN_COPIES / (width * channels) + 1,
             [&](ptrdiff_t begin, ptrdiff_t stop) {
        for (ptrdiff_t i = begin; i < stop; ++i) {
            const T *in = given.data + i / rows * given.steps.image;
            ptrdiff_t row = i % rows;
            for (ptrdiff_t j = last - 1; j >= 0; --j) {
                in += row % w.length[j] * given.steps.axis[j];
                row /= w.length[j];
            }
            T *out = padded.data + i * width * channels;
            memset(out, 0, first * channels * sizeof(T));
            memset(out + end * channels, 0, (width - end) * channels * sizeof(T));
            out += first * channels;
            if (apart == channels)
                memcpy(out, in, (end - first) * channels * sizeof(T));
            else
                for (ptrdiff_t x = 0; x < end - first; ++x)
                    for (ptrdiff_t c = 0; c < channels; ++c)
                        out[x * channels + c] = in[x * apart + c];
        }
    });
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
