"""Uses of a GPU or of ChainerX that legacy mode runs on plain arrays.

The parts ``cpu`` and ``chainerx`` are off by default.

None of these was removed: the entries provide texts for the report.
"""
from chainer_fast._help.past.removed.entry import Removed

_WITHOUT = 'without a GPU: '

ENTRIES: tuple[Removed, ...] = tuple(
    Removed(_WITHOUT + what, 'CuPy', instead, 'cpu', remark)
    for what, instead, remark in (
        ('cupy', 'write numpy, or xp = model.xp', "arrays are NumPy's"),
        ('to_gpu', "write model.to_device('@numpy')", ''),
        ('device', "write chainer.get_device('@numpy')",
         'use(), with-blocks and numbers of devices mean the processor'),
        ('check_cuda_available', 'write if chainer.cuda.available', ''),
        ('axes in a list or range', 'write a tuple: axis=(1, 2)',
         'of numpy.sum, max, mean and the like; not of methods'),
        ('array.get', 'write chainer.cuda.to_cpu(array)',
         'in the sources that Python imports'),
        ('array.set', 'write array[...] = values',
         'in the sources that Python imports'),
    )) + (
    Removed('without a GPU: a kernel', 'CuPy',
            'write NumPy for arrays of NumPy', '', 'it can be created, but calling it '
                                                   'raises an error'),
    Removed('without ChainerX: device', 'Chainer 7', "write '@numpy' or '@cupy:0'",
            'chainerx', "'native' means NumPy, 'cuda:N' CuPy"),
    Removed('without ChainerX: to_chx', 'Chainer 7', 'leave it out', 'chainerx',
            'arrays, variables and links stay where they are'))
