"""Random numbers of ``random`` in Python 2, which Python 3 generates differently.

``random.random()`` returns the same numbers. Python 2 derived all others from it;
Python 3 derives integers from random bits.
"""
import functools
import math
import operator
import random
import sys

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import callers

WHAT = 'random of Python 2'
_EXACT = 2 ** 53        # below it one number of random() distinguishes the integers


def _below(self, stop):
    """Return an integer from zero to ``stop``, exclusive."""
    if stop < _EXACT:
        return int(self.random() * stop)
    bits = int(1.00001 + math.log(stop - 1, 2))
    number = self.getrandbits(bits)
    while number >= stop:
        number = self.getrandbits(bits)
    return number


def _randrange(self, start, stop=None, step=1):
    start, step = operator.index(start), operator.index(step)
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError('randrange() needs a step other than 0')
    numbers = range(start, operator.index(stop), step)
    count = max(0, -((numbers.start - numbers.stop) // step))
    if not count:
        raise ValueError('randrange(%d, %d, %d) has no number to choose from'
                         % (start, numbers.stop, step))
    return start + step * _below(self, count)


def _randint(self, a, b):
    return _randrange(self, a, b + 1)


def _choice(self, seq):
    return seq[int(self.random() * len(seq))]   # an empty one raises IndexError


def _shuffle(self, x, random=None):
    draw = random or self.random
    for last in range(len(x) - 1, 0, -1):
        other = int(draw() * (last + 1))
        x[last], x[other] = x[other], x[last]


def _sample(self, population, k):
    count = len(population)
    if not 0 <= k <= count:
        raise ValueError('sample() was asked for %r of %d elements' % (k, count))
    # A list is used if it is smaller than a set of the selected elements.
    of_set = 21 + (4 ** math.ceil(math.log(k * 3, 4)) if k > 5 else 0)
    if count <= of_set or not hasattr(population, '__getitem__') or hasattr(
            population, 'keys'):
        return _taken(self, list(population), k)
    places: dict[int, None] = {}
    while len(places) < k:
        places.setdefault(int(self.random() * count))
    return [population[place] for place in places]


def _taken(self, pool, k):
    found = []
    for count in range(len(pool), len(pool) - k, -1):
        place = int(self.random() * count)
        found.append(pool[place])
        pool[place] = pool[count - 1]
    return found


_METHODS = {'randrange': _randrange, 'randint': _randint, 'choice': _choice,
            'shuffle': _shuffle, 'sample': _sample}


def _is_called_by_own_file():
    frame = sys._getframe(2)
    return not (callers.is_of_today(frame.f_globals.get('__name__'))
                or callers.is_installed(frame.f_code.co_filename))


def _method(today, old):
    @functools.wraps(today)
    def draw(self, *args, **kwargs):
        if not _is_called_by_own_file():
            return today(self, *args, **kwargs)
        _report.adapted(WHAT)
        return old(self, *args, **kwargs)
    return draw


def _function(today, old):
    @functools.wraps(today)
    def draw(*args, **kwargs):
        if not _is_called_by_own_file():
            return today(*args, **kwargs)
        _report.adapted(WHAT)
        return old(random._inst, *args, **kwargs)
    return draw


def install(patches):
    """Draw Python 2's numbers for the program's own files, if the part is named."""
    if 'python' not in patches.named:
        return
    for name, old in _METHODS.items():
        patches.set(random.Random, name, _method(getattr(random.Random, name), old))
        patches.set(random, name, _function(getattr(random, name), old))
