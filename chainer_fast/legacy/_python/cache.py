"""Files of rewritten modules in compiled form, in addition to Python's own.

A file contains a key, a checksum, the code, and what was adapted while the source was
rewritten. The key depends on everything that determines the code: the source, its path,
the names next to it, whether it is part of a package, the rules, this package and
Python. Files that do not match are generated again; a file that cannot be written is
omitted. ``PYTHONDONTWRITEBYTECODE`` and ``PYTHONPYCACHEPREFIX`` apply to these files,
too.
"""
import functools
import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile

from chainer_fast.legacy import _report

_MAGIC = b'chainer_fast legacy 1\n'
_SIZE = hashlib.sha256().digest_size
_HEAD = len(_MAGIC) + 2 * _SIZE


@functools.cache
def _rewriter():
    """Return a checksum of the rewriting sources, and of what they read."""
    here = os.path.dirname(os.path.abspath(__file__))
    package = os.path.dirname(os.path.dirname(here))
    found = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    found.update(repr((sys.version, sys.flags.optimize)).encode())
    folders = (here, os.path.join(package, '_help', 'past', 'python2'))
    files = [os.path.join(folder, name) for folder in folders
             for name in sorted(os.listdir(folder)) if name.endswith('.py')]
    files += [os.path.join(package, 'legacy', '_of_today.py'),
              os.path.join(package, '_help', 'past', 'removed', '_python2.py')]
    for file in files:
        with open(file, 'rb') as f:
            found.update(f.read())
    return found.digest()


def key_of(source, path, rules, is_member):
    """Return the key of the result of a source, as bytes."""
    found = hashlib.sha256(_rewriter())
    try:
        beside = sorted(os.listdir(os.path.dirname(path)))
    except OSError:
        beside = []
    beside = [name for name in beside if name != '__pycache__']
    settings = [(name, sorted(value) if isinstance(value, set) else value)
                for name, value in sorted(vars(rules).items())]
    found.update(repr((path, beside, is_member, settings, len(source))).encode(
        'utf-8', 'surrogateescape'))
    found.update(source)
    return found.digest()


def _file_of(path):
    """Return the path of the file, or None."""
    try:
        plain = importlib.util.cache_from_source(path)
    except NotImplementedError:
        return None
    return plain.removesuffix('.pyc') + '.legacy.pyc'


def load(path, key, is_valid):
    """Return the code stored under a key, and report what was adapted; or None.

    Parameters
    ----------
    path : str
        Path of the source.
    key : bytes
    is_valid : callable
        Function of the recorded facts about other modules that returns whether they are
        still valid.
    """
    file = _file_of(path)
    if file is None:
        return None
    try:
        with open(file, 'rb') as f:
            data = f.read()
    except OSError:
        return None
    kept = data[_HEAD:]
    if data[:_HEAD] != _MAGIC + key + hashlib.sha256(key + kept).digest():
        return None
    code, adapted, found = marshal.loads(kept)
    if not is_valid(found):
        return None
    for use in adapted:
        _report.adapted_at(*use)
    return code


def save(path, key, code, adapted, found):
    """Store code under a key.

    Parameters
    ----------
    path : str
        Path of the source.
    key : bytes
    code : code
    adapted : list of tuple
        Adaptations of the source: arguments of ``_report.adapted_at``.
    found : dict
        Recorded facts about other modules.
    """
    file = _file_of(path)
    if file is None or sys.dont_write_bytecode:
        return
    kept = marshal.dumps((code, [tuple(use) for use in adapted], found))
    folder = os.path.dirname(file)
    try:
        os.makedirs(folder, exist_ok=True)
        number, temporary = tempfile.mkstemp(
            prefix=os.path.basename(file), dir=folder)
    except OSError:
        return
    try:
        with open(number, 'wb') as f:
            f.write(_MAGIC + key + hashlib.sha256(key + kept).digest() + kept)
        os.replace(temporary, file)
    except OSError:
        try:
            os.remove(temporary)
        except OSError:
            pass
