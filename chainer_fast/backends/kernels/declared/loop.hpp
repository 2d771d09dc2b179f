/* What a file of declared loops includes first: the processor's loops without Python. */
#pragma once

#define CF_WITHOUT_PYTHON

#include "chainer_fast/backends/kernels/declared/call.hpp"
#include "chainer_fast/backends/kernels/declared/tables.hpp"
