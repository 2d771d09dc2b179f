"""Warnings, at import, about libraries that are too old or too new."""
import re
import warnings
from typing import Any

from chainer_fast import _version
from chainer_fast.backends import cuda


def check():
    """Warn about optional libraries whose versions this package does not support."""
    _check_optional_dependencies()


def _installed_versions():
    """Return the versions of the optional libraries that are in use, by name.

    The libraries themselves report them, since a search through the metadata of
    installed packages would take longer than the rest of the import.
    """
    return {'CuPy': cuda.cupy.__version__} if cuda.available else {}


def _check_optional_dependencies():
    versions = _installed_versions()
    for dependency in _version._optional_dependencies:
        version = versions.get(dependency['name'])
        if version is None or _satisfies(version, dependency['specifier']):
            continue
        warnings.warn(
            '{name} {version} may not work with this package, which is made for '
            '{name}{specifier}. To change it:\n'
            "  $ pip install '{package}{specifier}'\n"
            'where {package} may be one of {packages}, see {help}'.format(
                version=version, package=dependency['packages'][0], **dependency))


def _satisfies(version, specifier):
    """Return whether a version is within bounds such as ``'>=13.0,<15.0'``."""
    release = _release(version)
    for bound in specifier.split(','):
        found: Any = re.match(r'\s*(>=|<)\s*([0-9.]+)\s*$', bound)
        operator, limit = found.groups()
        if (release < _release(limit)) == (operator == '>='):
            return False
    return True


def _release(version):
    """Return the numbers of a version: ``(13, 6, 0)`` of ``'13.6.0rc1'``."""
    numbers = re.match(r'\d+(\.\d+)*', version)
    parts = [int(n) for n in numbers.group().split('.')] if numbers else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
