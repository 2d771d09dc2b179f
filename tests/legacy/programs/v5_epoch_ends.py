# Chainer 5.4, Python 3.6, --legacy=v5
"""Data sets that draw: their examples are read before or after the next shuffle."""
import itertools

import numpy as np

from chainer import iterators


class Noisy(object):

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.n))]
        return '%d:%.6f' % (index, np.random.rand())


def show(iterator, n):
    for _ in range(n):
        try:
            batch = iterator.next()
        except StopIteration:
            print('end')
            break
        print('%d %d %.4f %s' % (
            iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail,
            ' '.join(batch)))
    print('%.6f' % np.random.rand())


for n, batch_size in ((6, 2), (7, 3), (5, 8)):
    for repeat in (True, False):
        np.random.seed(n)
        show(iterators.SerialIterator(Noisy(n), batch_size, repeat), 7)  # removed: iterators that shuffle once the examples of an epoch are read
        np.random.seed(n)
        threads = iterators.MultithreadIterator(Noisy(n), batch_size, repeat)  # removed: iterators that shuffle once the examples of an epoch are read
        for batch in itertools.islice(threads, 6):
            print(' '.join(batch))
        threads.finalize()
show(iterators.SerialIterator(Noisy(5), 3, shuffle=False), 4)
