"""Whether the user named a version, so that its meanings hold."""
import math
import re

_VERSION = re.compile(r'v([1-6])(?:\.(\d+))?')


def version_of(part):
    """Return the part of a release, as ``'v1'`` of ``'v1.13'``; None of other parts."""
    match = _VERSION.fullmatch(part)
    return match and 'v' + match[1]


def _release(part):
    """Return the numbers of a release; a version alone is the last of its releases."""
    version, number = _VERSION.fullmatch(part).groups()
    return int(version), math.inf if number is None else int(number)


def is_named(patches, version):
    """Return whether a version or release up to the given one was named.

    A meaning that ``version`` was the last to have is also that of the versions before.
    """
    return any(version_of(part) and _release(part) <= _release(version)
               for part in patches.named)
