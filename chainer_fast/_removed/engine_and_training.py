"""What is gone of Chainer 1 to 6 besides functions and links."""
from chainer_fast._removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
)
