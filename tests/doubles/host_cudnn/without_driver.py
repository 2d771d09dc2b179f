"""Let the real cuDNN plan the graphs of the package for a card that is not there.

    python tests/doubles/host_cudnn/without_driver.py

takes the frontend from 1.28 on, the library of cuDNN and a C compiler. cuDNN answers
for a card by its properties, down to engines that are loaded onto it, but wants to
find the libraries of the driver, the runtime and cuBLAS. It gets empty ones, and the
real NVRTC, by which cuDNN 9.19 compiles batch normalization when it plans. Prints a
line of JSON for each graph: the card, the graph, and the name of the engine or the
reason why there is none.
"""
import ctypes
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

CARDS = {
    # compute capability * 100, multiprocessors, KiB of shared memory, MiB of L2 cache,
    # threads of a multiprocessor
    'T4': (750, 40, 64, 4, 1024), 'A100': (800, 108, 163, 40, 2048),
    'H100': (900, 132, 227, 50, 2048)}

# Properties that differ little, as cuDNN writes them itself.
PROPERTIES = {
    'cudaDeviceId': 0, 'driverVer': 12080, 'maxGridSize': [2147483647, 65535, 65535],
    'maxBlockSize': [1024, 1024, 64], 'regsPerBlock': 65536, 'smCountOrigin': 0,
    'warpSize': 32, 'maxSharedMemoryPerBlock': 49152,
    'oversizedSharedMemoryPerBlock': 0, 'reservedSharedMemoryPerBlock': 1024,
    'maxRegistersPerSM': 65536, 'maxCtasPerSM': 32, 'maxThreadsPerBlock': 1024,
    'pciDeviceId': 0, 'isTccDriver': 0, 'supportCoopLaunch': 1,
    'smClockRateKHz': 1980000, 'memClockRateKHz': 2619000, 'memoryBusWidth': 5120,
    'totalGlobalMem': 80 << 30}

# Functions that have to succeed; all others report that there is no device.
ANSWERS = {
    'cuDriverGetVersion': '(int *v) { *v = 12080; return 0; }',
    'cudaDriverGetVersion': '(int *v) { *v = 12080; return 0; }',
    'cudaRuntimeGetVersion': '(int *v) { *v = 12080; return 0; }',
    'cudaGetDevice': '(int *v) { *v = 0; return 0; }',
    'cudaGetDeviceCount': '(int *v) { *v = 1; return 0; }',
    'cudaDeviceGetAttribute': '(int *v) { *v = 1; return 0; }',
    'cudaGetDeviceProperties': '(void) { return 0; }',
    'cudaGetDeviceProperties_v2': '(void) { return 0; }',
    'cudaGetErrorString': '(void) { return (long)"none"; }',
    'cudaGetErrorName': '(void) { return (long)"none"; }',
    'cuGetErrorString': '(int e, char **p) { *p = "none"; return 0; }',
    'cuGetErrorName': '(int e, char **p) { *p = "none"; return 0; }',
    'cublasLtGetVersion': '(void) { return 120900; }',
    'cublasLtGetCudartVersion': '(void) { return 120900; }',
    'cuLibraryLoadData': '(void **v) { *v = v; return 0; }',
    'cuLibraryGetKernel': '(void **v) { *v = v; return 0; }',
    'cuLibraryUnload': '(void) { return 0; }',
    'cuKernelSetAttribute': '(void) { return 0; }',
    'cuKernelGetAttribute': '(int *v) { *v = 0; return 0; }',
}


def empty_libraries(folder, libraries):
    """Load libraries that have every function which cuDNN may look for."""
    names = set(ANSWERS)
    for path in libraries:
        names |= {name.decode() for name in re.findall(
            rb'\0(cu(?:da|blas|blasLt)?[A-Z]\w{3,60})(?=\0)', path.read_bytes())}
    for soname, pattern in (
            ('libcuda.so.1', 'cu[A-Z]'), ('libcudart.so.12', 'cuda[A-Z]'),
            ('libcublas.so.12', 'cublas[A-Z]'), ('libcublasLt.so.12', 'cublasLt')):
        source = folder / (soname + '.c')
        source.write_text('\n'.join([
            'long %s%s' % (name, ANSWERS.get(name, '(void) { return 100; }'))
            for name in sorted(names) if re.match(pattern, name)]))
        subprocess.run(['cc', '-w', '-shared', '-fPIC', '-Wl,-soname,' + soname,
                        '-o', folder / soname, source], check=True)
        ctypes.CDLL(str(folder / soname), ctypes.RTLD_GLOBAL)


def load(folder):
    """Load all that cuDNN wants of others; return the folder of its libraries."""
    libraries = library_of_cudnn()
    load_compiler()
    empty_libraries(folder, [libraries / name for name in (
        'libcudnn_graph.so.9', 'libcudnn_engines_runtime_compiled.so.9',
        'libcudnn_engines_precompiled.so.9')])
    return libraries


def load_compiler():
    """Load NVRTC where pip has installed it, as CuPy does; cuDNN finds it then."""
    for path in sys.path:
        for found in pathlib.Path(path).glob('nvidia/cuda_nvrtc/lib/libnvrtc.so.*'):
            ctypes.CDLL(str(found))


def properties(card):
    """Return the properties of a card, once the libraries are loaded."""
    import cudnn
    capability, count, shared, cache, threads = CARDS[card]
    return cudnn.create_device_properties(json.dumps({
        **PROPERTIES, 'deviceName': card, 'deviceVer': capability,
        'multiProcessorCount': count, 'l2CacheSize': cache << 20,
        'maxThreadsPerSM': threads, 'maxSharedMemoryPerBlockOptin': shared << 10}))


def library_of_cudnn():
    """Return the folder of the libraries that the frontend will load."""
    folders = [pathlib.Path(p) for p in os.environ.get(
        'LD_LIBRARY_PATH', '').split(os.pathsep) if p]
    folders += [pathlib.Path(p) / 'nvidia/cudnn/lib' for p in sys.path]
    for folder in folders:
        if (folder / 'libcudnn.so.9').exists():
            return folder
    sys.exit('there is no libcudnn.so.9')


def graphs():
    """Yield a name, the function that describes a graph, and its arguments."""
    from chainer_fast.backends._cudnn import batch_normalization, convolution
    for ksize, stride, pad, dilate, lengths, channels, groups in (
            ((3, 3), (1, 1), (1, 1), (1, 1), (56, 56), (64, 64), 1),
            ((1, 1), (1, 1), (0, 0), (1, 1), (56, 56), (64, 256), 1),
            ((7, 7), (2, 2), (3, 3), (1, 1), (224, 224), (3, 64), 1),
            ((3, 3), (1, 1), (2, 2), (2, 2), (28, 28), (8, 16), 1),
            ((3, 3), (1, 1), (1, 1), (1, 1), (28, 28), (32, 32), 32),
            ((2, 3), (2, 1), (1, 0), (1, 1), (7, 9), (4, 6), 2),
            ((3,), (1,), (1,), (1,), (100,), (8, 16), 1),
            ((3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), (10, 12, 14), (8, 16), 2)):
        outs = tuple([(n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, p, d in zip(
            lengths, ksize, stride, pad, dilate, strict=True)])
        x, W = (4, channels[0], *lengths), (channels[1], channels[0] // groups, *ksize)
        y = 4, channels[1], *outs
        window = pad, pad, stride, dilate
        for describe, shapes in (
                (convolution._forward, (x, W, y)), (convolution._biased, (x, W, y)),
                (convolution._by_data, (y, W, x)),
                (convolution._by_filters, (x, y, W))):
            yield describe, (*shapes, *window), 'efd'
    for describe in batch_normalization._forward, batch_normalization._backward:
        yield describe, batch_normalization._ORDINARY, 'ef'


def layers():
    """Yield the same of graphs of ResNet-50 and VGG at batch 256."""
    from chainer_fast.backends._cudnn import batch_normalization, convolution
    from tests.card.programs import sizes
    for layer in sizes.layers():
        x, W, *_ = layer.shapes(256)
        if isinstance(layer, sizes.Normalization):
            for describe in batch_normalization._forward, batch_normalization._backward:
                yield describe, (x,), 'ef'
            continue
        n = (layer.length - 1) // layer.stride + 1
        y = 256, layer.outputs, n, n
        geometry = convolution._padded(
            W[2:], *[(size,) * 2 for size in (
                layer.stride, (layer.ksize - 1) // 2, 1, layer.length, n)])
        for describe, shapes in (
                (convolution._forward, (x, W, y)), (convolution._by_data, (y, W, x)),
                (convolution._by_filters, (x, y, W))):
            yield describe, (*shapes, *geometry), 'ef'


def main():
    with tempfile.TemporaryDirectory() as folder:
        load(pathlib.Path(folder))
        import cudnn

        from chainer_fast.backends._cudnn import library
        library._module = cudnn
        for card in CARDS:
            described = properties(card)
            for deterministic, last in itertools.product((False, True), repeat=2):
                for describe, facts, dtypes in graphs():
                    for dtype in dtypes:
                        plan(card, described, describe, facts, dtype, last,
                             deterministic, dtype == 'e')
            for (describe, facts, dtypes), last in itertools.product(
                    layers(), (False, True)):
                for dtype in dtypes:
                    plan(card, described, describe, facts, dtype, last, False, True)


def plan(card, described, describe, facts, dtype, last, deterministic, tensor_cores):
    """Print whether cuDNN makes a plan, by the limit of workspaces that is usual."""
    from chainer_fast.backends import _cudnn
    from chainer_fast.backends._cudnn import batch_normalization, graphs, library, plans
    graph = graphs.Graph(np.dtype(dtype), last, device_property=described)
    describe(graph, *facts)
    try:
        found = plans.Plan(graph, deterministic, tensor_cores, _cudnn._WORKSPACE)
        found.build()
        answer = {'engine': graph.native.get_plan_name_at_index(found.index),
                  'index': found.index, 'workspace': found.size}
        if facts == batch_normalization._ORDINARY:
            # As a later process reads it from a file.
            read = library.frontend().pygraph(device_property=described)
            read.deserialize(found.serialize())
            answer['read again'] = read.get_workspace_size()
    except Exception as e:
        answer = {'refused': str(e)}
    print(json.dumps({
        'card': card, 'graph': describe.__module__.rpartition('.')[2]
        + describe.__name__, 'facts': facts, 'dtype': dtype, 'last': last,
        'deterministic': deterministic, 'tensor cores': tensor_cores, **answer}),
        flush=True)


if __name__ == '__main__':
    main()
