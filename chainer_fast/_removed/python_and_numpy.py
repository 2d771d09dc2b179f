"""Names of Python, NumPy, SciPy and other libraries that are gone."""
from chainer_fast._removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
)
