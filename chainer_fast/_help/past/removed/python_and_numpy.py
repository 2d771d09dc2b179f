"""Names removed from Python, NumPy, SciPy and other libraries."""
from chainer_fast._help.past.removed import (
    _libraries,
    _numpy,
    _processor,
    _python,
    _python2,
    _scipy,
)
from chainer_fast._help.past.removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
    *_python.ENTRIES, *_python2.ENTRIES, *_numpy.ENTRIES, *_scipy.ENTRIES,
    *_libraries.ENTRIES, *_processor.ENTRIES)
