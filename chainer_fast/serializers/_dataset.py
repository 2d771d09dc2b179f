"""Reading of datasets of HDF5 files, after checking their claimed sizes."""
import contextlib
import math
import zlib

import h5py
import numpy

# Greatest factor by which deflated data can grow, and an allowance for the ends.
_MOST_INFLATION, _ENDS = 1040, 4096
# Size to which any chunk may unpack, as the library does not check the result.
_HARMLESS = 8 << 20
_LARGE_CHUNK = 1 << 20


@contextlib.contextmanager
def reading(what):
    """Return a context that converts errors of h5py to errors with the location.

    Raises
    ------
    TypeError
        If the dtypes cannot be converted.
    OSError
        If the file is damaged.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:      # damaged files raise errors of any type
        kind = TypeError if isinstance(error, TypeError) else OSError
        message = error.args[0] if error.args else type(error).__name__
        raise kind('%s cannot be read: %s' % (what, message)) from error


def find(group, key, what):
    """Return the member of a group under a key, or None.

    Parameters
    ----------
    group : h5py.Group
    key : str
    what : str
        Name of the member for errors.

    Raises
    ------
    OSError
        If the member is damaged, or in another file.
    """
    parent = group
    with reading(what):
        for name in key.split('/'):
            if not name:
                continue
            if not (isinstance(parent, h5py.Group)
                    and parent.id.links.exists(name.encode())):
                return None
            link = parent.id.links.get_info(name.encode())
            if link.type not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT):
                raise ValueError('it is in another file')
            parent = parent[name]
    return parent


def paths(group):
    """Return the paths of the datasets below a group that can be read."""
    above = group.name.rstrip('/') + '/'
    found = []

    def note(name, member):
        if isinstance(member, h5py.Dataset):
            found.append((above + name).lstrip('/'))

    with contextlib.suppress(Exception):    # damaged files raise errors of any type
        group.visititems(note)
    return found


def check_storage(dataset, loading, path, is_told):
    """Check that a dataset is in its file and that its claimed size is possible.

    Parameters
    ----------
    dataset : h5py.Dataset
    loading : Loading
    path : str
    is_told : bool
        Whether the object to load expects this size.

    Raises
    ------
    OSError
        If one of these does not hold.
    """
    what = loading.describe(path)
    with reading(what):
        created, stored = dataset.id.get_create_plist(), dataset.id.get_storage_size()
        layout = created.get_layout()
        if layout == h5py.h5d.VIRTUAL or created.get_external_count():
            raise ValueError('it is in another file')
        if stored > h5py.h5i.get_file_id(dataset.id).get_filesize():
            raise ValueError('it claims to be longer than the file')
        n_bytes = math.prod(dataset.shape) * dataset.dtype.itemsize
        most = stored
        if layout == h5py.h5d.CHUNKED:
            most = _MOST_INFLATION * stored + _ENDS
            chunk = math.prod(dataset.chunks) * dataset.dtype.itemsize
            if chunk > max(n_bytes, _LARGE_CHUNK):
                raise ValueError('it claims chunks of %d bytes' % chunk)
        if n_bytes > most:
            raise ValueError('it claims %d bytes (shape %s, dtype %s) but contains '
                             '%d' % (
                n_bytes, dataset.shape, dataset.dtype, stored))
        if layout == h5py.h5d.CHUNKED:
            _check_chunks(dataset, created, chunk, n_bytes)
    if not is_told and n_bytes > loading.size:
        loading.allot(n_bytes, path)


def _check_chunks(dataset, created, size, n_bytes):
    """Check that no chunk unpacks to far more bytes than expected."""
    filters = [created.get_filter(i)[0] for i in range(created.get_nfilters())]
    if not filters or filters[-1] != h5py.h5z.FILTER_DEFLATE:
        return
    suspects = []

    def look(chunk):
        if _MOST_INFLATION * chunk.size > max(_HARMLESS, 4 * n_bytes):
            suspects.append(chunk.chunk_offset)

    dataset.id.chunk_iter(look)
    for offset in suspects:
        _, packed = dataset.id.read_direct_chunk(offset)
        unpacked = zlib.decompressobj().decompress(packed, size + 1)
        if len(unpacked) > size:
            raise ValueError('a chunk of it unpacks to more than %d bytes' % size)


def is_text(dataset):
    """Return whether a dataset contains texts of variable length."""
    return h5py.check_string_dtype(dataset.dtype) is not None


def read(dataset):
    """Return a dataset as a NumPy array, text as an array of text."""
    if dataset.dtype.kind != 'O':
        return numpy.asarray(dataset)
    if not is_text(dataset):
        raise ValueError('it contains neither numbers nor text')
    return numpy.asarray(dataset.asstr()[()], dtype=str)


def read_into(dataset, array):
    """Fill an array; h5py converts the dtype, not always rounding like NumPy."""
    if dataset.dtype.kind == 'O':
        array[...] = read(dataset)
    elif array.size == 0:
        pass
    elif dataset.shape == array.shape and array.flags.c_contiguous:
        dataset.read_direct(array)
    else:
        elements = numpy.empty(dataset.shape, array.dtype)
        dataset.read_direct(elements)
        array[...] = elements
