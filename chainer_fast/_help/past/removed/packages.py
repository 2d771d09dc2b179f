"""Names removed from ChainerMN, ONNX-Chainer and CuPy.

Legacy mode does not adapt CuPy: a program that runs on a GPU uses the installed
version, and the change is a single line. The part ``cpu`` lists what runs on NumPy
instead.
"""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

_INSIDE = 'write the public name, cupy.NAME'
_CUDNN = 'leave cuDNN to Chainer, or use nvidia-cudnn-frontend'
_AVAILABLE = 'write cupy.cuda.%s.available'

_CHAINERMN = (
    *(Removed('chainermn.create_communicator(%r)' % name, 'Chainer 6.7',
              "write chainermn.create_communicator('pure_nccl')", '',
              'a ValueError reports it; pure_nccl computes the same')
      for name in ('hierarchical', 'two_dimensional', 'single_node')),
)

_ONNX = (
    Removed('onnx_chainer.export(return_flat_inout=)', 'ONNX-Chainer 1.3',
            'write return_named_inout=True, which gives dictionaries'),
    Removed('onnx_chainer.export_testcase(return_flat_inout=)', 'ONNX-Chainer 1.3',
            'leave the argument out'),
)

_CUPY = (
    *renamed('CuPy 11', '', below(
        'cupy.', 'int=int float=float complex=complex', '')),
    Removed('cupy.scatter_add', 'CuPy 7', 'write cupyx.scatter_add'),
    Removed('cupy.sparse', 'CuPy 13', 'write cupyx.scipy.sparse'),
    Removed('cupy.core', 'CuPy 8', _INSIDE),
    *(Removed('cupy.' + name, 'CuPy 7', _INSIDE) for name in (
        'binary', 'creation', 'ext', 'indexing', 'io', 'logic', 'manipulation', 'math',
        'misc', 'padding', 'sorting', 'statistics', 'util')),
    *renamed('CuPy 13', '', {
        'cupy.prof.TimeRangeDecorator': 'cupyx.profiler.time_range',
        'cupy.prof.time_range': 'cupyx.profiler.time_range'}),
    Removed('cupy.prof', 'CuPy 13', 'write cupyx.profiler'),
    *renamed('CuPy 13', '', below('cupy.', 'cusparse cusolver cutensor', 'cupyx.')),
    *(Removed(name, 'CuPy 13', _CUDNN, '', 'this package uses cuDNN through its '
                                           'frontend, which does not need CuPy')
      for name in ('cupy.cudnn', 'cupy.cuda.cudnn', 'cupyx.cudnn')),
    Removed('cupy.array_api', 'CuPy 13', 'write cupy'),
    Removed('cupyx.fallback_mode', 'CuPy 13', 'write cupy or numpy, as is meant'),
    Removed('cupy.cuda.compile_with_cache', 'CuPy 12',
            'write cupy.RawModule(code=...)'),
    *(Removed('cupy.cuda.%s_enabled' % name, 'CuPy 12', _AVAILABLE % name)
      for name in ('cub', 'cudnn', 'cusolver', 'cutensor', 'nccl', 'thrust')),
    Removed('cupy.testing.gpu', 'CuPy 11', 'write pytest.mark.gpu'),
    Removed('cupy.testing.attr', 'CuPy 7', 'write pytest.mark'),
    Removed('cupy.ndarray.min(dtype=)', 'CuPy 7', 'write a.min().astype(dtype)'),
    Removed('cupy.ndarray.max(dtype=)', 'CuPy 7', 'write a.max().astype(dtype)'),
)

ENTRIES: tuple[Removed, ...] = (*_CHAINERMN, *_ONNX, *_CUPY)
