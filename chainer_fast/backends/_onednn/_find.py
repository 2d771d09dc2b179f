"""The location of the oneDNN library in a Python environment."""
import sys
from pathlib import Path

WHEEL = 'onednn-cpu-gomp'
_NAME = 'libdnnl.so.3'


def path():
    """Return the path of the library, or None.

    Returns
    -------
    str or None
        The file listed by the wheel, or one among the libraries of the environment.
    """
    for candidate in _candidates():
        if candidate.is_file():
            return str(candidate.resolve())
    return None


def _candidates():
    import importlib.metadata  # slow to import, and rarely needed
    try:
        files = importlib.metadata.files(WHEEL) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == _NAME:
            yield Path(file.locate())
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix)):
        yield Path(prefix, 'lib', _NAME)
