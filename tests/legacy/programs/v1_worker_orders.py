# Chainer 1.24, Python 3.6, --legacy=v1
"""Orders that worker processes read are drawn between numbers of the program."""
import numpy as np

from chainer import iterators


def main():
    for n, batch_size, n_prefetch in (
            (7, 1, 1), (7, 1, 3), (7, 2, 2), (8, 4, 1), (5, 3, 1), (4, 3, 2)):
        np.random.seed(n)
        it = iterators.MultiprocessIterator(  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
            list(range(n)), batch_size, n_processes=1, n_prefetch=n_prefetch,
            shared_mem=1000)
        for _ in range(8):
            print('%s %d' % (it.next(), np.random.randint(1000)))


if __name__ == '__main__':
    main()
