"""NVRTC, the compiler of CUDA kernels, which CuPy must find."""
import functools
import glob
import os
import sys

from chainer_fast.backends._cupy import cupy


def _wheel_folders():
    """Return the folders of CUDA libraries installed by pip."""
    return [folder for root in sys.path
            for folder in sorted(glob.glob(os.path.join(root, 'nvidia', '*', 'lib')))]


def cupy_distributions():
    """Return the names under which CuPy is installed; normally there is one."""
    from importlib import metadata  # slow to import, and rarely needed
    names = {dist.metadata['Name'] or '' for dist in metadata.distributions()}
    return sorted(name for name in names
                  if name == 'cupy' or name.startswith(('cupy-cuda', 'cupy-rocm')))


def advice(version, library='libnvrtc'):
    """Return the command that lets CuPy of a version find a library of CUDA."""
    distribution = (cupy_distributions() or ['cupy-cuda12x'])[0]
    if int(version.split('.')[0]) >= 14:
        return "pip install '%s[ctk]'" % distribution
    # CuPy 13 searches libraries only where the loader does.
    folders = _wheel_folders()
    if any(glob.glob(os.path.join(folder, library + '.so.*')) for folder in folders):
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
