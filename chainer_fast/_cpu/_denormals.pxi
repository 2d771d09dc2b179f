# Whether a thread computes with denormal numbers. Part of shared.pyx.

cdef extern from "chainer_fast/_cpu/denormals.hpp" namespace "chainer_fast" nogil:
    const int64_t FLUSH
    bint flushes() noexcept
    void c_set_flush "chainer_fast::set_flush" (bint on) noexcept

#: Whether the processor can take zeros for denormal numbers.
CAN_FLUSH = FLUSH != 0


def set_flush(bint on):
    """Have the thread that calls take zeros for denormal numbers, or compute with them.

    Returns
    -------
    bool
        Whether it took zeros before.
    """
    before = flushes()
    c_set_flush(on)
    return before
