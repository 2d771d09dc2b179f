/* Headers that most modules include. Parsing them takes longer than compiling most
   modules, so that setup.py precompiles this file and includes it before each
   module. */
#ifndef CHAINER_FAST_CORE_COMMON_HPP
#define CHAINER_FAST_CORE_COMMON_HPP

#include "chainer_fast/_core/traceback.hpp"

#include <compile.h>
#include <frameobject.h>
#include <pythread.h>
#include <traceback.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <typeinfo>
#include <utility>
#include <vector>

#include "chainer_fast/_core/arrays/private.hpp"
#include "chainer_fast/_cpu/processor.hpp"

#endif
