"""Reading of members of npz archives, after checking their claimed sizes."""
import contextlib
import os
import struct
import zipfile
import zlib

import numpy

from chainer_fast.serializers import _loading, _npy

# Errors that the zip module raises for damaged or unusual archives.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, OverflowError,
    NotImplementedError, UnicodeDecodeError)
# Header of a member: magic number, flags, lengths of name and extra field.
_LOCAL_HEADER = struct.Struct('<4s2xH18xHH')
# The last record, without the comment.
_END = struct.Struct('<10xH10x')
_ENCRYPTED, _UNICODE = 1, 0x800
# Greatest factor by which deflated data can grow, and an allowance for the ends.
_MOST_INFLATION, _ENDS = 1040, 100


@contextlib.contextmanager
def opened(file, allow_pickle, name):
    """Return a context with an open archive.

    Parameters
    ----------
    file : str, path or file
        The archive.
    allow_pickle : bool
        Whether Python objects may be loaded.
    name : str
        Name of the file for errors.

    Raises
    ------
    ValueError
        If the file is not an archive.
    zipfile.BadZipFile
        If the archive is damaged.
    """
    with contextlib.ExitStack() as stack:
        if not hasattr(file, 'read'):
            file = stack.enter_context(_loading.open_to_read(file))
        first = file.read(4)
        file.seek(-len(first), os.SEEK_CUR)
        if first not in (b'PK\x03\x04', b'PK\x05\x06'):
            raise ValueError(
                '%s is not an npz archive as written by save_npz%s' % (
                    name, ', but an HDF5 file: load_hdf5 loads it'
                    if first == b'\x89HDF' else ''))
        try:
            archive = numpy.load(file, allow_pickle=allow_pickle)
        except (*_DAMAGE, ValueError) as error:
            raise zipfile.BadZipFile('%s is damaged: %s' % (name, error)) from error
        yield stack.enter_context(archive)


def read(archive, path, loading, check, target=None):
    """Read an array, unless it contains Python objects other than a None.

    Parameters
    ----------
    archive : numpy.lib.npyio.NpzFile
    path : str
        Path of the value.
    loading : Loading
        The file, and the memory limit for values.
    check : callable
        Called with shape and dtype before the array is read; returns whether the object
        to load expects this size.
    target : numpy.ndarray, optional
        Array to fill if its memory layout is that of the file.

    Returns
    -------
    numpy.ndarray or None
        The array, which is the target if that was filled; None for a pickled None.

    Raises
    ------
    KeyError
        If there is no such array.
    ValueError
        If it contains Python objects, or is not an array.
    zipfile.BadZipFile
        If the archive is damaged.
    """
    info = _find(archive, path, loading)
    what = loading.describe(path)
    try:
        _check_size(info, loading.size, what)
        with _open(archive.zip, info) as member:
            try:
                header = _npy.read_header(member, info.file_size)
            except ValueError as error:
                raise ValueError('%s is not an array: %s' % (what, error)) from error
            if not header.dtype.hasobject:
                if not check(header.shape, header.dtype) and (
                        info.compress_type != zipfile.ZIP_STORED):
                    loading.allot(header.n_bytes, path)
                return _read_elements(member, header, loading, what, target)
            if not archive.allow_pickle and _npy.holds_none(member, header):
                return None
    except _DAMAGE as error:
        raise zipfile.BadZipFile(
            '%s is damaged: %s' % (what, error or type(error).__name__)) from error
    if not archive.allow_pickle:
        raise ValueError(
            'array %s contains Python objects, which can run code when they are '
            'loaded. If you trust the file, pass allow_pickle=True to load_npz' % what)
    array = archive[path]
    return None if _npy.is_none(array) else array


def _read_elements(member, header, loading, what, target):
    try:
        if target is None or not _npy.can_read_into(target, header):
            return _npy.read_elements(member, header)
        with loading.filling(target):
            _npy.read_into(member, target)
        return target
    except ValueError as error:
        raise ValueError('%s is damaged: %s' % (what, error)) from error


def has(archive, path, loading):
    """Return whether an archive contains an array.

    Raises
    ------
    zipfile.BadZipFile
        If it does not contain the array, and its directory is damaged.
    """
    if _member(archive, path) is not None:
        return True
    _check_directory(archive, loading)
    return False


def _member(archive, path):
    members = archive.zip.NameToInfo
    return members.get(path) or members.get(path + '.npy')


def _find(archive, path, loading):
    info = _member(archive, path)
    if len(archive.zip.NameToInfo) != len(archive.zip.filelist):
        raise zipfile.BadZipFile(
            '%s is damaged: several of its members have the same name' % loading.file)
    if info is not None:
        return info
    _check_directory(archive, loading)
    hint = ''
    for name in archive.files:
        if name.endswith('/' + path):
            hint = ', but it contains %r: pass path=%r to load from there' % (
                name, name[:-len(path)])
            break
    if path.startswith('updater/') and archive.files and not any(
            name.startswith('updater/') for name in archive.files):
        hint = (': it does not contain a trainer; load it into the object that was '
                'saved, such as the model, or pass a file that extensions.snapshot() '
                'has written')
    if any(name.endswith('data.pkl') for name in archive.zip.namelist()):
        hint = (': it is a file of PyTorch, chainer_fast.interop.torch.'
                'load_torch_state_dict(link, torch.load(path)) loads it')
    raise KeyError('%s has no %r%s' % (loading.file, path, hint))


def _check_directory(archive, loading):
    """Check that names in the directory match those in the members' headers.

    Checksums do not cover the names, and objects treat a missing value as not saved.
    """
    if loading.is_checked:
        return
    members = archive.zip.filelist
    try:
        for info in members:
            _go_to_elements(archive.zip.fp, info)
        if len(members) != _claimed_number(archive.zip):
            raise zipfile.BadZipFile('members are missing')
    except _DAMAGE as error:
        raise zipfile.BadZipFile(
            '%s is damaged: %s' % (loading.file, error)) from error
    loading.is_checked = True


def _claimed_number(archive):
    """Return the number of members according to the end of an archive."""
    archive.fp.seek(-_END.size - len(archive.comment), os.SEEK_END)
    number, = _END.unpack(archive.fp.read(_END.size))
    # Larger numbers are stored elsewhere.
    return len(archive.filelist) if number == 0xFFFF else number


def _check_size(info, size, what):
    """Check the size that the directory claims before allocating memory for it."""
    if info.compress_type == zipfile.ZIP_STORED:
        most = info.compress_size
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        most = _MOST_INFLATION * info.compress_size + _ENDS
    else:
        most = info.file_size
    if info.file_size > most or info.compress_size > size:
        raise zipfile.BadZipFile(
            '%s claims %d bytes, more than the file can hold' % (what, info.file_size))


def _open(archive, info):
    if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & _ENCRYPTED:
        return _Stored(archive.fp, info)
    return archive.open(info)


def _go_to_elements(file, info):
    """Set the position of a file after the header of a member."""
    file.seek(info.header_offset)
    start = file.read(_LOCAL_HEADER.size)
    if len(start) < _LOCAL_HEADER.size:
        raise EOFError('the archive ends within a header')
    magic, flags, n_name, n_extra = _LOCAL_HEADER.unpack(start)
    name = file.read(n_name)
    if magic != b'PK\x03\x04' or (
            name.decode('utf-8' if flags & _UNICODE else 'cp437')
            != info.orig_filename):
        raise zipfile.BadZipFile(
            'the directory and the header of %r differ' % info.filename)
    file.seek(n_extra, os.SEEK_CUR)


class _Stored:
    """Uncompressed member, read from the file without intermediate copies.

    Parameters
    ----------
    file : file
        The archive.
    info : zipfile.ZipInfo
        The member's entry in the directory.
    """

    def __init__(self, file, info):
        _go_to_elements(file, info)
        self._file = file
        self._left = info.file_size
        self._expected = info.CRC
        self._sum = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass

    def read(self, n_bytes):
        data = self._file.read(min(n_bytes, self._left))
        self._count(data)
        return data

    def readinto(self, view):
        n_read = self._file.readinto(view[:self._left])
        self._count(view[:n_read])
        return n_read

    def _count(self, data):
        self._left -= len(data)
        self._sum = zlib.crc32(data, self._sum)
        if not self._left and self._sum != self._expected:
            raise zipfile.BadZipFile('wrong checksum (CRC-32)')
