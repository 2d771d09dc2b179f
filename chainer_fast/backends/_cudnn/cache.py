"""Plans of cuDNN on disk, with the compiled kernels.

cuDNN compiles the kernels of some operations when a plan is built, which takes a third
of a second for each. A serialized plan contains them, and is read in a millisecond. It
is only valid for the same card, versions, code and graph. No error of a file, or of
the folder, may stop a program that works without it.
"""
import contextlib
import functools
import hashlib
import os
import pathlib
import tempfile

from chainer_fast.backends._cudnn import library
from chainer_fast.backends._cupy import cupy

# Number of files of about 60 KB that are kept, the latest ones. A network has dozens.
LIMIT = 1024


def folder():
    """Return the folder of the files, beside that of CuPy's kernels, or None."""
    found = os.environ.get('CHAINER_CUDNN_CACHE_DIR')
    if found is not None:
        return found or None
    if os.environ.get('CUPY_CACHE_IN_MEMORY') == '1':
        return None
    kernels = os.environ.get('CUPY_CACHE_DIR') or os.path.expanduser(
        '~/.cupy/kernel_cache')
    return os.path.join(os.path.dirname(os.path.abspath(kernels)), 'cudnn_plans')


@functools.cache
def _code():
    """Return a digest of the modules that describe graphs and select engines."""
    digest = hashlib.sha256()
    for path in sorted(pathlib.Path(__file__).parent.glob('*.py')):
        digest.update(path.read_bytes())
    return digest.digest()


def _machine():
    """Return the values that determine a plan besides the facts of the graph."""
    runtime, frontend = cupy.cuda.runtime, library.frontend()
    card = runtime.getDeviceProperties(runtime.getDevice())
    return (_code(), frontend.__version__, frontend.backend_version(),
            runtime.driverGetVersion(), *[card.get(name) for name in (
                'name', 'major', 'minor', 'multiProcessorCount', 'totalGlobalMem')])


class Entry:
    """The file of a plan.

    Parameters
    ----------
    *facts
        All values that determine the plan besides the machine, with a ``repr`` that
        is the same in all processes.
    """

    def __init__(self, *facts):
        self._folder = folder()
        if self._folder is not None:
            self._key = hashlib.sha256(repr((_machine(), facts)).encode()).digest()
            self._path = os.path.join(self._folder, self._key.hex())

    def _digest(self, data):
        return hashlib.sha256(self._key + data).digest()

    def read(self):
        """Return the plan as it was written; None if it is missing or damaged."""
        if self._folder is None:
            return None
        try:
            with open(self._path, 'rb') as file:
                digest, data = file.read(hashlib.sha256().digest_size), file.read()
            if digest != self._digest(data):
                return None
            os.utime(self._path)
        except OSError:
            return None
        return list(data)

    def write(self, plan):
        """Write a plan, a list of bytes from cuDNN's frontend."""
        if self._folder is None:
            return
        data = bytes(plan)
        with contextlib.suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            # Other processes see the complete file or none.
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(self._digest(data) + data)
            os.replace(file.name, self._path)
            self._remove_oldest()

    def _remove_oldest(self):
        files = list(os.scandir(self._folder))
        if len(files) > LIMIT:
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:LIMIT // 8]:
                os.remove(file.path)

    def remove(self):
        """Remove the file."""
        with contextlib.suppress(OSError):
            os.remove(self._path)
