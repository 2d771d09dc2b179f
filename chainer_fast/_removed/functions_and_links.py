"""Functions and links of Chainer 1 to 6 that are gone."""
from chainer_fast._removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
)
