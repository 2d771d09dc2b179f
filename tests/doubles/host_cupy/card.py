"""The memory that the devices of the stand-in have, and when there is none left."""
import collections
import contextlib

from tests.doubles.host_cupy import device

TOTAL = 80 << 30
#: ``cudaErrorMemoryAllocation``.
OUT_OF_MEMORY = 2


class CUDARuntimeError(RuntimeError):
    """An error of the runtime, with its number."""

    def __init__(self, status):
        super().__init__('cudaErrorMemoryAllocation: out of memory'
                         if status == OUT_OF_MEMORY else 'status %d' % status)
        self.status = status


class Card:
    """The memory of a device, of which all pools take what they have.

    Attributes
    ----------
    used : int
        Bytes that have been taken, and not given back.
    asked : int
        Times that memory has been asked for.
    """

    def __init__(self):
        self.used = self.asked = 0
        self._limit, self._full_after = TOTAL, None

    def take(self, size):
        """Take memory, as ``cudaMalloc`` does."""
        self.asked += 1
        if self._full_after is not None and self.asked > self._full_after:
            # What others give back from now on can be taken again.
            self._limit, self._full_after = self.used, None
        if self.used + size > self._limit:
            raise CUDARuntimeError(OUT_OF_MEMORY)
        self.used += size

    def give_back(self, size):
        """Give memory back, as ``cudaFree`` does."""
        self.used -= size

    @contextlib.contextmanager
    def full_after(self, count):
        """Let a device be full once memory has been asked for so many times more.

        From then on there is only what is given back, as on a card that other
        programs use as well.
        """
        self._full_after = self.asked + count
        try:
            yield
        finally:
            self._limit, self._full_after = TOTAL, None


_cards = collections.defaultdict(Card)


def of(number):
    """Return the memory of a device."""
    return _cards[number]


def current():
    """Return the memory of the current device."""
    return _cards[device.current()]
