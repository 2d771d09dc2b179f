"""Whether the user named a version, so that its meanings are used."""
import math
import re

_VERSION = re.compile(r'v([1-6])(?:\.(\d+))?')


def version_of(part):
    """Return the part of a release, ``'v1'`` for ``'v1.13'``; None for other parts."""
    match = _VERSION.fullmatch(part)
    return match and 'v' + match[1]


def _release(part):
    """Return the numbers of a release; a version means the last of its releases."""
    version, _, number = part[1:].partition('.')
    return int(version), int(number) if number else math.inf


def is_named(patches, version):
    """Return whether a version or release up to the given one was named.

    A meaning that ``version`` was the last to have also applies to earlier versions.
    """
    return any(version_of(part) and _release(part) <= _release(version)
               for part in patches.named)
