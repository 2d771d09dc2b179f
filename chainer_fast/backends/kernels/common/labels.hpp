/* Numbers of classes and of rows, on a GPU. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {

/* The class that a label names. As in CuPy's own indexing, one that does not exist wraps
 * around. */
template <typename Label>
CF_ELEMENT ptrdiff_t class_of(Label label, ptrdiff_t classes) {
    return (ptrdiff_t(label) % classes + classes) % classes;
}

}  // namespace chainer_fast
