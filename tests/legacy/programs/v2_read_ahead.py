# Chainer 2.1, Python 3.6, --legacy=v2,python3
"""What is drawn beside an iterator that reads ahead: noise of a program, an order."""
import numpy as np

from chainer import iterators


def show(n, batch_size, n_prefetch, repeat):
    np.random.seed(n)
    iterator = iterators.MultiprocessIterator(  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
        list(range(n)), batch_size, repeat=repeat, n_processes=2,
        n_prefetch=n_prefetch)
    for _ in range(7):
        try:
            batch = iterator.next()
        except StopIteration:
            print('end')
            break
        print('%d %d %.4f %s noise %.6f' % (
            iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail,
            ' '.join(map(str, batch)), np.random.rand()))
    iterator.finalize()
    print('then %.6f' % np.random.rand())


if __name__ == '__main__':
    for n, batch_size in ((6, 2), (7, 3), (12, 2)):
        for n_prefetch in (1, 3):
            show(n, batch_size, n_prefetch, True)
    show(4, 4, 1, True)
    show(6, 2, 1, False)
    show(7, 3, 1, False)
