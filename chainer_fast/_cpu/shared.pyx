"""What all compiled modules of a process share: threads, memory, the processor's level.
"""
import os

from cpython.pycapsule cimport PyCapsule_New
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

include "_processor.pxi"
include "_denormals.pxi"
include "_pool.pxi"
include "_memory.pxi"
