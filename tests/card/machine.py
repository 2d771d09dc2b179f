"""Print what there is on this machine, as a line of JSON.

``card`` is null without a card that CuPy can use, and ``error`` says why.
"""
import datetime
import importlib
import importlib.metadata
import importlib.util
import json
import pathlib
import platform
import shutil
import subprocess
import sys

from tests.doubles import host_cupy


def distribution(*names):
    """Return name and version of the distributions of these that are installed."""
    found = []
    for name in names:
        try:
            found.append('%s %s' % (name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            pass
    return ', '.join(found)


def output(*command):
    """Return what a program prints; nothing if there is none, or it fails."""
    if not shutil.which(command[0]):
        return ''
    found = subprocess.run(command, text=True, capture_output=True,
                           cwd=pathlib.Path(__file__).parent)
    return '' if found.returncode else found.stdout.strip()


def software():
    return {
        'date': datetime.date.today().isoformat(), 'system': platform.platform(),
        'Python': platform.python_version(),
        'chainer_fast': distribution('chainer-fast'),
        'commit': output('git', 'rev-parse', '--short=12', 'HEAD'),
        'libraries': distribution(
            'numpy', 'scipy', 'cupy-cuda12x', 'cupy-cuda13x', 'cupy', 'torch',
            'nvidia-cudnn-frontend', 'nvidia-cudnn-cu12', 'nvidia-cudnn-cu13',
            'nvidia-cublas', 'nvidia-cuda-nvrtc', 'nvidia-nccl-cu12',
            'nvidia-nccl-cu13')}


def card():
    cupy = importlib.import_module('cupy')
    runtime = cupy.cuda.runtime
    properties = runtime.getDeviceProperties(0)
    return {
        'card': '%s, sm_%d%d, %d multiprocessors, %.0f GiB' % (
            properties['name'].decode(), properties['major'], properties['minor'],
            properties['multiProcessorCount'],
            properties['totalGlobalMem'] / 2 ** 30),
        'cards': runtime.getDeviceCount(),
        'driver': output('nvidia-smi', '--query-gpu=driver_version,clocks.max.sm,'
                         'power.limit', '--format=csv,noheader'),
        'CUDA': 'driver %d, runtime %d' % (
            runtime.driverGetVersion(), runtime.runtimeGetVersion()),
        'CuPy': cupy.__version__}


# Attributes of CuPy: not all of them are modules that can be imported.
def nvrtc():
    return '%d.%d' % importlib.import_module('cupy').cuda.nvrtc.getVersion()


def cublas():
    cuda = importlib.import_module('cupy').cuda
    return cuda.cublas.getVersion(cuda.get_cublas_handle())


def cudnn():
    return importlib.import_module('cudnn').backend_version()


def nccl():
    return importlib.import_module('cupy').cuda.nccl.get_version()


def libraries():
    """Return the versions of the libraries that are loaded, or why one is not."""
    found = {}
    for name, version in {
            'NVRTC': nvrtc, 'cuBLAS': cublas, 'cuDNN': cudnn, 'NCCL': nccl}.items():
        try:
            found[name] = version()
        except Exception as e:
            found[name] = 'none: %s' % e
    return found


def main():
    found = software()
    if host_cupy.has_gpu():
        try:
            found.update(card())
            found.update(libraries())
        except Exception as e:
            found.update(card=None, error='%s: %s' % (type(e).__name__, e))
    elif importlib.util.find_spec('cupy') is None:
        found.update(card=None, error='CuPy is not installed for ' + sys.executable)
    else:
        found.update(card=None, error='the driver is not there, or sees no GPU')
    print(json.dumps(found))


if __name__ == '__main__':
    main()
