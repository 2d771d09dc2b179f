# Selection of the vector instructions to use. Part of shared.pyx.

cdef extern from "chainer_fast/_cpu/processor.hpp" namespace "chainer_fast":
    enum Level:
        HIGHEST
    Level c_level "chainer_fast::level"() noexcept

# For aarch64 there are two.
LEVELS = ('base', 'neon') if <int>HIGHEST == 1 else ('base', 'avx2', 'avx512')

_limit = os.environ.get('CHAINER_FAST_CPU', '')
if _limit not in ('', *LEVELS):
    *_lower, _highest = LEVELS
    raise ValueError(
        'the environment variable CHAINER_FAST_CPU is %r: expected %s or %s; without '
        'it, all instructions of the processor are used' % (
            _limit, ', '.join(_lower), _highest))


def level():
    """Return the level in use, one of ``LEVELS``."""
    return LEVELS[<int>c_level()]
