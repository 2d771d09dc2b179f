"""Parts of distutils that programs used, for Python versions without it."""
import functools
import os
import re
import shutil
import types
from typing import Any

_PARTS = re.compile(r'\d+|[a-z]+')
_STRICT = re.compile(r'(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?$')


@functools.total_ordering
class LooseVersion:
    """A version of numbers and words, compared by its parts."""

    def __init__(self, vstring=None):
        if vstring:
            self.parse(vstring)

    def parse(self, vstring):
        """Read a version."""
        self.vstring = vstring
        self.version = [int(part) if part.isdigit() else part
                        for part in _PARTS.findall(vstring)]

    def __str__(self):
        return self.vstring

    def __repr__(self):
        return "%s ('%s')" % (type(self).__name__, self)

    def _other(self, other):
        return type(self)(other) if isinstance(other, str) else other

    def __eq__(self, other):
        return self.version == self._other(other).version

    def __lt__(self, other):
        return self.version < self._other(other).version

    __hash__ = None


class StrictVersion(LooseVersion):
    """A version of two or three numbers, optionally followed by ``a1`` or ``b1``."""

    def parse(self, vstring):
        match = _STRICT.match(vstring)
        if not match:
            raise ValueError("invalid version number '%s'" % vstring)
        major, minor, patch, kind, number = match.groups()
        self.vstring = vstring
        # A letter sorts before the end.
        self.version = [int(major), int(minor), int(patch or 0), kind or 'final',
                        int(number or 0)]


def strtobool(val):
    """Return 1 for words such as 'yes', and 0 for words such as 'no'."""
    word = val.lower()
    if word in ('y', 'yes', 't', 'true', 'on', '1'):
        return 1
    if word in ('n', 'no', 'f', 'false', 'off', '0'):
        return 0
    raise ValueError('invalid truth value %r' % (val,))


def mkpath(name, mode=0o777, verbose=1, dry_run=0):
    """Create a folder and its parents."""
    if not dry_run:
        os.makedirs(name, mode, exist_ok=True)


def copy_tree(src, dst):
    """Copy a folder into another."""
    shutil.copytree(src, dst, dirs_exist_ok=True)
    return [os.path.join(folder, name) for folder, _, names in os.walk(dst)
            for name in names]


_CONTENTS: dict[str, dict[str, Any]] = {
    'distutils.version': {'LooseVersion': LooseVersion, 'StrictVersion': StrictVersion},
    'distutils.util': {'strtobool': strtobool},
    'distutils.spawn': {'find_executable': shutil.which},
    'distutils.dir_util': {'mkpath': mkpath, 'copy_tree': copy_tree,
                           'remove_tree': shutil.rmtree},
}


def _make(name):
    module = types.ModuleType(name)
    contents: dict[str, Any] = {'__path__': []}
    vars(module).update(_CONTENTS.get(name, contents))
    return module


#: Full names, and functions that create the modules.
MODULES = {name: functools.partial(_make, name) for name in ('distutils', *_CONTENTS)}
