"""Compile kernels for GPUs: with a real CuPy and NVRTC, which need no card.

The kernels are those that a run of tests on the stand-in has recorded, see
``instances.py``. CuPy writes the code around them, as it does for a call, and NVRTC
compiles it for each architecture. It takes a Python that has CuPy and
nvidia-cuda-nvrtc-cu12, and nothing of this package::

    HOST_CUPY_INSTANCES=build/kernels.json pytest -m gpu tests
    .peers/cupy-13.6/bin/python tests/doubles/device_code/replay.py build/kernels.json

It prints a line with counts, and each kernel that does not compile.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import sys

import batches
import compilation

# As in cupy/_core/_kernel.pxd.
NDARRAY, INDEXER, SCALAR = 1, 2, 3
# The threads of a block in reductions of CuPy.
BLOCK_SIZE = 512


def _is_14():
    import cupy
    return int(cupy.__version__.split('.')[0]) >= 14


def check_private_names():
    """Raise if CuPy lacks what ``backends/_launches.py`` takes beside its interface."""
    import cupy
    from cupy.cuda.function import Function
    from cupy_backends.cuda import stream
    capsule = stream.__pyx_capi__['get_current_stream_ptr']
    assert '"intptr_t (void)"' in repr(capsule), capsule
    for owner, name in (
        (cupy.ndarray, '_c_contiguous'),
        (cupy.ndarray, '_f_contiguous'),
        (cupy.RawKernel, 'kernel'),
        (Function, 'ptr'),
        (cupy.cuda.driver, 'CUDADriverError'),
    ):
        assert hasattr(owner, name), (owner, name)


class _Captured(Exception):
    pass


def sources_of(instance):
    """Return (name, source, options, name expressions) of a recorded kernel."""
    from cupy._core import core
    headers = ''.join('#include <%s>\n' % name for name in core._cupy_header_list)
    init = instance['init']
    options = tuple(init['options'])
    if instance['kind'] == 'raw':
        return [(init['name'], init['code'], options, init['name_expressions'])]
    if instance['kind'] == 'elementwise':
        sources = [_elementwise(instance)]
    else:
        sources = _reductions(instance)
    return [(init['name'], headers + source, options + more, None)
            for source, more in sources]


def _arguments(instance, trailing):
    """Return CuPy's descriptions of parameters and arguments, and its map of types."""
    import numpy
    from cupy._core import _carray, _kernel, _scalar
    from cupy._core.core import ndarray
    init = instance['init']
    params = (_kernel._get_param_info(init['in_params'], True)
              + _kernel._get_param_info(init['out_params'], False))

    def dtype_of(name):
        return numpy.dtype(name) if _is_14() else numpy.dtype(name).type

    infos = [
        _kernel._ArgInfo(SCALAR, _scalar.CScalar, dtype_of(kind[1]), 0, True, True)
        if kind[0] == 'number' else
        _kernel._ArgInfo(NDARRAY, ndarray, dtype_of(kind[1]), kind[2], kind[3], True)
        for kind in instance['arguments']]
    for name, ndim in zip(trailing, instance['ndims'], strict=True):
        params += _kernel._get_param_info('CIndexer ' + name, False)
        infos.append(_kernel._ArgInfo(
            INDEXER, _carray.Indexer, None, ndim, True, True))
    letters = tuple((letter, dtype_of(name))
                    for letter, name in instance['letters'].items())
    return params, infos, letters, dtype_of


def _elementwise(instance):
    from cupy._core import _kernel
    init = instance['init']
    params, infos, letters, _ = _arguments(instance, ['_ind'])
    return _kernel._get_elementwise_kernel_code.__wrapped__(
        tuple(infos), _kernel._TypeMap(letters), params, init['operation'],
        init['name'], init['preamble'], init['loop_prep'], init['after_loop']), ()


def _reductions(instance):
    """Return the code of CuPy's own reduction, and of that by CUB if there is one."""
    from cupy._core import _kernel, _reduction, _scalar
    init = instance['init']
    params, infos, letters, dtype_of = _arguments(instance, ['_in_ind', '_out_ind'])
    nin = len(_kernel._get_param_info(init['in_params'], True))
    nout = len(_kernel._get_param_info(init['out_params'], False))
    params += _kernel._get_param_info('int32 _block_stride', True)
    infos.append(_kernel._ArgInfo(
        SCALAR, _scalar.CScalar, dtype_of('int32'), 0, True, True))
    letters += ('IndexT', 'int32'),
    out = [(_reduction._ReductionKernel_get_cached_function_code.__wrapped__(
        nin, nout, params, tuple(infos), _kernel._TypeMap(letters), init['name'],
        BLOCK_SIZE, init['reduce_type'], init['identity'], init['map_expr'],
        init['reduce_expr'], init['post_map_expr'], init['preamble'], ()), ())]
    if nin == nout == 1:
        out += [_by_cub(instance, params, infos, letters, passes) for passes in (
            (), ('-DFIRST_PASS=1',), ('-DSECOND_PASS=1',))]
    return out


def _by_cub(instance, params, infos, letters, passes):
    """Return what CuPy's ``_try_to_call_cub_reduction`` compiles."""
    from cupy._core import _cub_reduction, _kernel, core
    init = instance['init']
    in_name, out_name = [param.name for param in params[:2]]
    map_expr = init['map_expr'].replace(in_name, 'in0')
    post_map_expr = init['post_map_expr'].replace(out_name, 'out0')
    if 'mean' in init['name']:
        size = {(): '_segment_size', ('-DFIRST_PASS=1',): '1.0',
                ('-DSECOND_PASS=1',): '_array_size'}[passes]
        post_map_expr = post_map_expr.replace('_in_ind.size()', size).replace(
            '_out_ind.size()', '1.0')
    if passes == ('-DSECOND_PASS=1',):
        map_expr = 'in0'
    letters = (*letters, ('sizeT', 'int32'), ('type_in0_raw', infos[0].dtype),
               ('type_out0_raw', infos[1].dtype))
    sizes = _kernel._get_param_info(
        'int32 _segment_size, int32 _array_size', True)
    params = (_kernel._get_param_info('T in0', True)
              + _kernel._get_param_info('T out0', False) + sizes)
    captured = []

    def capture(source, options, *args, **kwargs):
        captured.append((source, options))
        raise _Captured

    original = core.cuda.compiler._compile_module_with_cache
    core.cuda.compiler._compile_module_with_cache = capture
    try:
        _cub_reduction._SimpleCubReductionKernel_get_cached_function.__wrapped__(
            map_expr, init['reduce_expr'], post_map_expr, init['reduce_type'], params,
            (infos[0], infos[1], infos[-1], infos[-1]), _kernel._TypeMap(letters),
            init['name'], BLOCK_SIZE, init['identity'], init['preamble'], passes,
            4 if _is_14() else (4,))
    except _Captured:
        pass
    finally:
        core.cuda.compiler._compile_module_with_cache = original
    return captured[0]


def read_sources(path):
    """Return the different sources in a file, with names, and the number of kernels."""
    with open(path) as file:
        lines = sorted(set(file))
    sources = {}
    for line in lines:
        for name, *rest in sources_of(json.loads(line)):
            sources.setdefault(tuple(rest), name)
    return sources, len(lines)


def read_statements(path):
    """Return sources of one statement each: their texts, and whether they compile."""
    with open(path) as file:
        statements = json.load(file)
    out = {}
    for verdict, texts in statements.items():
        for text in texts:
            instance = {
                'kind': 'elementwise', 'letters': {'T': 'float32'}, 'ndims': [1],
                'arguments': [['array', 'float32', 1, True]] * 2,
                'init': {
                    'in_params': 'T x', 'out_params': 'T y', 'operation': text,
                    'name': 'statement', 'preamble': '', 'loop_prep': '',
                    'after_loop': '', 'options': ()}}
            (_, *rest), = sources_of(instance)
            out[tuple(rest)] = text, verdict == 'accepted'
    return out


def main():
    """Compile all kernels of a file; exit with 1 if some do not compile."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('instances', help='file of recorded kernels')
    parser.add_argument('--architectures', nargs='+', default=['70', '80', '90'])
    parser.add_argument(
        '--keep-ptx', nargs='*', default=[], metavar='ARCHITECTURE',
        help='architectures whose PTX is kept, to be run')
    parser.add_argument('--processes', type=int, default=os.cpu_count())
    parser.add_argument(
        '--statements', default=pathlib.Path(__file__).with_name('statements.json'),
        help='file of statements that NVRTC accepts, and that it refuses')
    args = parser.parse_args()
    compilation.load_nvrtc()
    check_private_names()
    compilation.CACHE.mkdir(parents=True, exist_ok=True)
    names, kernels = read_sources(args.instances)
    statements = read_statements(args.statements)
    jobs = [(architecture, batch, architecture in args.keep_ptx)
            for architecture in args.architectures
            for batch in batches.batches_of(names)]
    accepted = [each for each, (_, accepted) in statements.items() if accepted]
    checks = [(args.architectures[-1], batch, False) for batch in (
        *batches.batches_of(accepted),
        *([each] for each in statements if each not in accepted))]
    with multiprocessing.Pool(args.processes) as pool:
        answers = pool.map(compilation.compile_batch, jobs, chunksize=1)
        verdicts = pool.map(compilation.compile_batch, checks, chunksize=1)
    failed = {}
    for (architecture, batch, _), found in zip(jobs, answers, strict=True):
        for source, answer in zip(batch, found, strict=True):
            if answer is not None:
                failed.setdefault((names[source], answer), []).append(architecture)
    for (name, answer), architectures in failed.items():
        print('FAILED %s for sm_%s\n%s\n' % (name, ', sm_'.join(architectures), answer))
    wrong = [statements[source][0] for (_, batch, _), found in zip(
        checks, verdicts, strict=True) for source, answer in zip(
            batch, found, strict=True) if (answer is None) != statements[source][1]]
    for text in wrong:
        print('UNEXPECTED verdict of NVRTC: %s' % text)
    tried = len(names) * len(args.architectures)
    failures = sum(map(len, failed.values()))
    print('%s: %d kernels recorded, %d sources, compiled for sm_%s: %d, failed: %d; '
          '%d statements judged, unexpected: %d' % (
              compilation.version(), kernels, len(names),
              ', sm_'.join(args.architectures), tried - failures, failures,
              len(statements), len(wrong)))
    return 1 if failed or wrong else 0


if __name__ == '__main__':
    sys.exit(main())
