"""Which vector instructions are used, of those that the processor has."""
import os

cdef extern from "chainer_fast/_core/processor.hpp" namespace "chainer_fast":
    enum Level:
        pass
    Level c_level "chainer_fast::level"() noexcept

LEVELS = ('base', 'avx2', 'avx512')

_limit = os.environ.get('CHAINER_FAST_CPU', '')
if _limit not in ('', *LEVELS):
    raise ValueError(
        'the environment variable CHAINER_FAST_CPU is %r: expected base, avx2 or '
        'avx512; without it, all that the processor has is used' % _limit)


def level():
    """Return the level that is used: one of ``LEVELS``."""
    return LEVELS[<int>c_level()]
