"""The folder of the data sets, and downloads kept there."""
from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TypeVar
from urllib import error

from chainer_fast.dataset import _locks

# Seconds of silence after which a server counts as unreachable.
_PATIENCE = 30

# Kinds of checksums; the second is that of old files.
_CHECKSUMS = 'sha256', 'sha1'

# Prefix of the names of unfinished downloads.
_UNFINISHED = 'unfinished-'

_dataset_root = (os.environ.get('CHAINER_DATASET_ROOT')
                 or os.path.expanduser(os.path.join('~', '.chainer', 'dataset')))


def get_dataset_root() -> str:
    """Return the folder that holds the data sets.

    Returns
    -------
    str
        ``$CHAINER_DATASET_ROOT`` if it was set at import, else ``~/.chainer/dataset``,
        unless :func:`set_dataset_root` changed it.

    See Also
    --------
    chainer_fast.dataset.set_dataset_root
    """
    return _dataset_root


def set_dataset_root(path: str) -> None:
    """Set the folder that holds the data sets.

    Parameters
    ----------
    path : str
        The new folder. The contents of the old one are not moved.

    Examples
    --------
    >>> root = chainer.dataset.get_dataset_root()
    >>> chainer.dataset.set_dataset_root('/data')
    >>> chainer.dataset.get_dataset_root()
    '/data'
    >>> chainer.dataset.set_dataset_root(root)
    """
    global _dataset_root
    _dataset_root = path


def get_dataset_directory(dataset_name: str, create_directory: bool = True) -> str:
    """Return the folder of one data set.

    Parameters
    ----------
    dataset_name : str
        Name of the data set; it may contain separators, e.g. ``'pfnet/chainer/mnist'``.
    create_directory : bool
        Whether to create the folder if it does not exist.

    Returns
    -------
    str
        Path below :func:`get_dataset_root`.

    Raises
    ------
    OSError
        If the folder cannot be made.

    Examples
    --------
    >>> import os
    >>> path = chainer.dataset.get_dataset_directory(
    ...     'mine/words', create_directory=False)
    >>> os.path.relpath(path, chainer.dataset.get_dataset_root()) == os.path.normpath(
    ...     'mine/words')
    True
    """
    directory = os.path.join(get_dataset_root(), dataset_name)
    if create_directory:
        os.makedirs(directory, exist_ok=True)
    return directory


def _cache_folder():
    folder = os.path.join(_dataset_root, '_dl_cache')
    os.makedirs(folder, exist_ok=True)
    return folder


def _cached_path(folder, url):
    return os.path.join(folder, hashlib.md5(url.encode('utf-8')).hexdigest())


def _retrieve(url, path):
    """Copy ``url`` to a file; give up if the server does not respond."""
    from http import client
    from urllib import request

    try:
        with request.urlopen(url, timeout=_PATIENCE) as source, \
                open(path, 'wb') as target:
            shutil.copyfileobj(source, target, 1 << 20)
    except client.HTTPException as e:
        raise OSError(f'broken answer: {e!r}') from e


@contextlib.contextmanager
def _patience():
    """Set a timeout for silent sockets, unless the program chose one."""
    if socket.getdefaulttimeout() is not None:
        yield
        return
    socket.setdefaulttimeout(_PATIENCE)
    try:
        yield
    finally:
        socket.setdefaulttimeout(None)


def _remove_unfinished(folder):
    """Remove files of processes that were killed while downloading.

    A running download writes from time to time; other processes of this machine wait
    for the lock anyway.
    """
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(_UNFINISHED) and _idle_time(path) > 20 * _PATIENCE:
            shutil.rmtree(path, ignore_errors=True)


def _idle_time(folder):
    """Return the seconds since the last write below a folder; 0 if deleted."""
    try:
        paths = [folder, *[entry.path for entry in os.scandir(folder)]]
        return time.time() - max(map(os.path.getmtime, paths))
    except OSError:
        return 0


def _is_whole(path, check):
    """Return whether a file exists and passes the check, if any."""
    if not os.path.exists(path):
        return False
    try:
        if check is not None:
            check(path)
    except OSError:
        return False
    return True


def _download_to(folder, url, check=None):
    """Fetch ``url`` unless it is cached, and move it into place when it is complete."""
    from urllib import request  # late, as it is slow to import and rarely needed

    path = _cached_path(folder, url)
    # An existing file needs no lock, which would require a writable folder.
    if _is_whole(path, check):
        return path
    with _locks.locked(os.path.join(folder, '_dl_lock')):
        if _is_whole(path, check):
            return path
        if check is not None and os.path.exists(path):
            os.remove(path)
        _remove_unfinished(folder)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as temporary:
            partial = os.path.join(temporary, 'dl')
            print(f'Downloading from {url}...', file=sys.stderr, flush=True)
            if check is None:
                with _patience():
                    request.urlretrieve(url, partial)
            else:
                _retrieve(url, partial)
                check(partial)
            os.replace(partial, path)
    return path


def _check_of(checksum):
    """Return a function that raises OSError for a file with another checksum.

    Parameters
    ----------
    checksum : str
        As in :func:`cached_download`.
    """
    kind, colon, expected = checksum.lower().rpartition(':')
    kind = kind if colon else 'sha256'
    lengths = {name: 2 * hashlib.new(name).digest_size for name in _CHECKSUMS}
    if len(expected) != lengths.get(kind) or not re.fullmatch('[0-9a-f]+', expected):
        raise ValueError(
            'checksum is %r: it must be a kind, a colon and hexadecimal digits, '
            'namely %s' % (checksum, ', '.join(
                '%s for %s' % (n, name) for name, n in lengths.items())))

    def check(path):
        digest = hashlib.new(kind)
        with open(path, 'rb') as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        found = digest.hexdigest()
        if found != expected:
            raise OSError('%s is %s, expected %s' % (
                kind.upper().replace('SHA', 'SHA-'), found, expected))
    return check


def cached_download(url: str, *, checksum: str | None = None) -> str:
    """Download a file, or find it in the cache.

    Parameters
    ----------
    url : str
        Address of the file.
    checksum : str, optional
        Expected checksum: ``'sha256:'`` or ``'sha1:'`` and the hexadecimal digest of
        the file; without a kind, it is SHA-256. Without a checksum, neither the
        download nor a copy in the cache is verified. Chainer has no such argument.

    Returns
    -------
    str
        Path of the local copy, below ``_dl_cache`` in the folder of the data sets. An
        interrupted download leaves nothing there.

    Raises
    ------
    OSError
        If the folder cannot be created, if the download fails, or if the file has
        another checksum. In the last case the file is removed; a copy in the cache
        with another checksum is also removed, and downloaded again.
    ValueError
        If the checksum is invalid.

    Examples
    --------
    ::

        path = chainer.dataset.cached_download('https://example.com/images.zip')
        path = chainer.dataset.cached_download(
            'https://example.com/images.zip', checksum='sha256:9f86d081884c...')
    """
    if checksum is None:
        return _download_to(_cache_folder(), url)
    check = _check_of(checksum)
    try:
        return _download_to(_cache_folder(), url, check)
    except error.URLError:
        raise
    except OSError as e:
        raise OSError('%s: %s' % (url, e)) from e


class _DownloadError(error.URLError, RuntimeError):
    """No mirror delivered a file; the reason lists the error of each mirror."""

    def __str__(self) -> str:
        return str(self.reason)


def _verified_download(mirrors, sha256):
    """Download a file with known contents from the first mirror that has it.

    Parameters
    ----------
    mirrors : sequence of str
        Addresses of the same file, tried in this order.
    sha256 : str
        Hexadecimal digest of the file.

    Returns
    -------
    str
        Path of the local copy. A damaged copy is replaced.

    Raises
    ------
    urllib.error.URLError
        If no mirror delivered the file; the message lists the reasons.
    """
    check = _check_of('sha256:' + sha256)
    folder = _cache_folder()
    # An existing copy needs no network, whichever mirror it came from.
    for path in (_cached_path(folder, url) for url in mirrors):
        if _is_whole(path, check):
            return path
    reasons = []
    for url in mirrors:
        try:
            return _download_to(folder, url, check)
        except OSError as e:
            reasons.append(f'{url}: {e}')
            if isinstance(e, error.HTTPError):
                e.close()   # it is the server's response, which is not read
    raise _DownloadError('\n  '.join([
        'cannot download the data set', *reasons,
        'Without a network, save that file as %s; chainer.dataset.set_dataset_root, '
        'or the environment variable CHAINER_DATASET_ROOT, selects another folder'
        % _cached_path(folder, mirrors[0])]))


_Content = TypeVar('_Content')


def cache_or_load_file(
        path: str, creator: Callable[[str], _Content],
        loader: Callable[[str], _Content]) -> _Content:
    """Load a file, creating it first if it does not exist.

    Parameters
    ----------
    path : str
        The file.
    creator : callable
        ``creator(temporary_path)`` writes the file there and returns its contents; the
        file is moved to ``path`` when it is complete.
    loader : callable
        ``loader(path)`` reads the file.

    Returns
    -------
    object
        Result of ``creator`` or ``loader``.

    Raises
    ------
    RuntimeError
        If the folder of the data sets cannot be created.

    Examples
    --------
    ::

        def compute(path):
            array = slow_computation()
            with open(path, 'wb') as file:
                np.save(file, array)
            return array

        array = chainer.dataset.cache_or_load_file('array.npy', compute, np.load)
    """
    if os.path.exists(path):
        return loader(path)
    try:
        os.makedirs(_dataset_root, exist_ok=True)
    except OSError as e:
        raise RuntimeError(
            f'cannot create dataset directory {_dataset_root}: {e}')
    # The temporary file is beside the target, so that the move is atomic. It is written
    # without the lock, so that unrelated files can be written at the same time.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or '.') as temporary:
        partial = os.path.join(temporary, os.path.basename(path))
        content = creator(partial)
        with _locks.locked(os.path.join(_dataset_root, '_create_lock')):
            if not os.path.exists(path):
                os.replace(partial, path)
    return content
