"""NVRTC, the compiler of CUDA kernels, which CuPy has to find."""
import functools
import glob
import importlib.metadata
import os
import sys

from chainer_fast.backends._cupy import cupy


def wheel_folders():
    """Return the folders of CUDA's libraries that pip has installed, NVRTC's first."""
    found = [folder for root in sys.path
             for folder in sorted(glob.glob(os.path.join(root, 'nvidia', '*', 'lib')))]
    return sorted(found, key=lambda folder: not _holds_nvrtc(folder))


def _holds_nvrtc(folder):
    return bool(glob.glob(os.path.join(folder, 'libnvrtc.so.*')))


def cupy_distributions():
    """Return the names under which CuPy is installed: one, if all is well."""
    names = {dist.metadata['Name'] or '' for dist in importlib.metadata.distributions()}
    return sorted(name for name in names
                  if name == 'cupy' or name.startswith(('cupy-cuda', 'cupy-rocm')))


def advice(version):
    """Return the command that lets CuPy of a version find NVRTC."""
    folders = wheel_folders()
    distribution = (cupy_distributions() or ['cupy-cuda12x'])[0]
    if int(version.split('.')[0]) >= 14:
        return "pip install '%s[ctk]'" % distribution
    if folders and _holds_nvrtc(folders[0]):
        # CuPy 13 looks for libraries only where the loader does.
        return 'export LD_LIBRARY_PATH=' + ':'.join(folders)
    return "pip install '%s[ctk]>=14'" % distribution


@functools.cache
def check():
    """Raise ``RuntimeError`` if CuPy does not find NVRTC."""
    if cupy.cuda.runtime.is_hip:
        return
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as e:
        raise RuntimeError(
            'no kernel can be compiled, since CuPy %s does not find NVRTC (%s): %s'
            % (cupy.__version__, e, advice(cupy.__version__))) from e
