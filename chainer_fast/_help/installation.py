"""The version of this package, and how to install its optional dependencies."""
import os
import re
import shlex

from chainer_fast import _version

_NAME = 'chainer-fast'
#: The folder of the package: a clone, or ``site-packages``.
FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _version_of_sources():
    """Return the version in the project file beside the package, or None."""
    try:
        with open(os.path.join(FOLDER, 'pyproject.toml'), encoding='utf-8') as file:
            found = re.search(
                '^name = "%s"\nversion = "(.+)"' % _NAME, file.read(), re.M)
    except OSError:
        return None
    return found and found[1]


def version():
    """Return the version of this package; ``__version__`` is that of Chainer.

    Returns
    -------
    str
        Such as ``'0.1.0'``; ``'unknown'`` for a copy that is not installed.
    """
    # Sources may be newer than the metadata of an editable installation.
    found = _version_of_sources()
    if found is None:
        metadata = _metadata()
        try:
            found = metadata.version(_NAME)
        except metadata.PackageNotFoundError:
            return 'unknown'
    return found


def _metadata():
    # Importing it takes an eighth of the import time of the package.
    import importlib.metadata
    return importlib.metadata


def versions():
    """Return the version of this package, with that of Chainer in parentheses."""
    return '%s (Chainer %s)' % (version(), _version.__version__)


def install(extra, *packages):
    """Return the command that installs the packages of an extra.

    The command lists the packages: ``pip install 'chainer-fast[EXTRA]'`` finds nothing
    as long as PyPI has no release, and would build a clone again.

    Parameters
    ----------
    extra : str
        A key of ``project.optional-dependencies``.
    *packages : str
        Further packages to install.

    Returns
    -------
    str
    """
    metadata = _metadata()
    try:
        listed = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        listed = []
    needed = [requirement.partition(';')[0].strip() for requirement in listed
              if re.search(r'extra == .%s\b' % extra, requirement)]
    if not needed:      # this copy is not installed
        target = FOLDER if _version_of_sources() else _NAME
        needed = ['%s[%s]' % (target, extra)]
    return shlex.join(['pip', 'install', *needed, *packages])
