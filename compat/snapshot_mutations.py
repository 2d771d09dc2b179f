"""Ways to damage or forge snapshots, each a function of random numbers and bytes."""
import io
import struct
import zipfile
import zlib

import numpy

LARGE = (0, 1, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, (1 << 63) - 1,
         (1 << 64) - 1)


class Trap:
    """Runs code when it is unpickled; the runner checks whether the file appears."""

    path = None

    def __reduce__(self):
        return open, (Trap.path, 'w')


# -- any file


def flip_bits(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def change_bytes(rng, data):
    start = rng.randrange(len(data))
    n = min(rng.choice((1, 2, 4, 8, 32)), len(data) - start)
    return data[:start] + rng.randbytes(n) + data[start + n:]


def write_number(rng, data):
    """Write a number that is often a limit at a place that may be a size."""
    form = rng.choice(('<H', '<I', '<Q'))
    size = struct.calcsize(form)
    start = rng.randrange(len(data) - size)
    number = rng.choice(LARGE) & ((1 << 8 * size) - 1)
    return data[:start] + struct.pack(form, number) + data[start + size:]


def cut_end(rng, data):
    return data[:rng.randrange(len(data))]


def cut_middle(rng, data):
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.choice((1, 2, 4, 100, 1000)):]


def insert(rng, data):
    start = rng.randrange(len(data))
    return data[:start] + rng.randbytes(rng.choice((1, 2, 4, 100))) + data[start:]


def repeat_part(rng, data):
    start, end = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:end] + data[start:end] + data[end:]


def move_part(rng, data):
    start, end, to = sorted(rng.randrange(len(data)) for _ in range(3))
    return data[:start] + data[end:to] + data[start:end] + data[to:]


def zero_part(rng, data):
    start = rng.randrange(len(data))
    n = min(rng.choice((4, 64, 512)), len(data) - start)
    return data[:start] + bytes(n) + data[start + n:]


def append(rng, data):
    return data + rng.choice((rng.randbytes(64), data, b'PK\5\6' + bytes(18)))


def prepend(rng, data):
    return rng.choice((b'\0', b'PK', rng.randbytes(100), b'\x93NUMPY\1\0')) + data


def replace_all(rng, data):
    return rng.choice((
        b'', b'PK', b'PK\3\4', b'PK\5\6' + bytes(18), b'\x89HDF\r\n\x1a\n',
        b'\x93NUMPY\1\0\xff\xff', rng.randbytes(200), b'text of a letter\n' * 9,
        b'cos\nsystem\n(S"touch trapped"\ntR.'))


ANY = (flip_bits, flip_bits, change_bytes, write_number, write_number, cut_end,
       cut_middle, insert, repeat_part, move_part, zero_part, append, prepend,
       replace_all)


# -- archives with correct checksums


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def archive_of(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w', method) as archive:
        for name, content in members:
            # Names may repeat; the module would warn of that.
            archive.NameToInfo.pop(name, None)
            archive.writestr(name, content)
    return file.getvalue()


def npy(array, allow_pickle=True):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def with_header(content, **changes):
    """Return an array with another header."""
    file = io.BytesIO(content)
    numpy.lib.format.read_magic(file)
    shape, fortran, dtype = numpy.lib.format.read_array_header_1_0(file)
    header = {'descr': numpy.lib.format.dtype_to_descr(dtype),
              'fortran_order': fortran, 'shape': shape, **changes}
    text = repr(header).encode()
    return b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text + file.read()


def change_member(change):
    """Make a mutation of a function that changes one member."""
    def mutate(rng, data):
        members = members_of(data)
        index = rng.randrange(len(members))
        name, content = members[index]
        members[index] = name, change(rng, content)
        return archive_of(members, rng.choice(
            (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    mutate.__name__ = change.__name__
    return mutate


@change_member
def claim_shape(rng, content):
    return with_header(content, shape=rng.choice((
        (), (0,), (1,), (2,), (7, 7), (1 << 20,), (1 << 40,), (1 << 62, 4), (-1,),
        (1,) * 70, (1 << 64,), (0, 1 << 62), 3, 'x', None, (True,), (1.5,))))


@change_member
def claim_dtype(rng, content):
    return with_header(content, descr=rng.choice((
        '<f4', '<f8', '>f4', '<i8', '|b1', '<c8', '|O', '<U99999999', '|V2000000000',
        '|S0', '<M8[s]', [('a', '<f4'), ('b', '|O')], '(9999,9999)f4', 'nonsense', 3,
        None, '<U0')))


@change_member
def claim_order(rng, content):
    return with_header(content, fortran_order=rng.choice((True, False, 1, None)))


@change_member
def break_header(rng, content):
    text = rng.choice((
        b'{', b'-' * 60000, b'(' * 5000, b'', b'{}', b'__import__("os")',
        rng.randbytes(99),
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b'1,' * 4000 + b')}'))
    return b'\x93NUMPY' + rng.choice((b'\1\0', b'\2\0', b'\3\0', b'\4\0')) + (
        struct.pack('<H', len(text))) + text + content[128:]


@change_member
def break_array(rng, content):
    return rng.choice(ANY)(rng, content)


@change_member
def put_other_array(rng, content):
    return npy(rng.choice((
        numpy.float32(3), numpy.zeros((4, 3)), numpy.zeros((3, 4), 'f'),
        numpy.ones(4, 'i8'), numpy.ones((4, 3), 'D'), numpy.array('text'),
        numpy.array(b'bytes'), numpy.array(['a'] * 4), numpy.array(-1),
        numpy.array(1 << 62), numpy.array(numpy.nan), numpy.array(True),
        numpy.array(None), numpy.zeros((0, 3), 'f'), numpy.array('{"a": 1}'),
        numpy.datetime64('2000'))))


@change_member
def put_trap(rng, content):
    trap = numpy.empty(rng.choice(((), (1,), (4,))), object)
    trap[...] = Trap()
    return npy(trap)


@change_member
def put_trap_with_none(rng, content):
    """Hide a call in front of the pickle of None."""
    none = npy(numpy.array(None))
    at = none.index(b'\x80')
    call = b'c__builtin__\nopen\n(X%sX\1\0\0\0wtR0' % (
        struct.pack('<I', len(Trap.path)) + Trap.path.encode())
    return none[:at + 2] + call + none[at + 2:]


@change_member
def put_bomb(rng, content):
    """An array that is much longer than the file, as it compresses well."""
    n = rng.choice((1 << 22, 1 << 24))
    header = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(
        header, {'descr': '<f4', 'fortran_order': False, 'shape': (n,)})
    return header.getvalue() + bytes(rng.choice((4 * n, 4 * n - 1, n)))


def swap_members(rng, data):
    members = members_of(data)
    i, k = rng.randrange(len(members)), rng.randrange(len(members))
    (a, x), (b, y) = members[i], members[k]
    members[i], members[k] = (a, y), (b, x)
    return archive_of(members)


def rename_member(rng, data):
    members = members_of(data)
    i = rng.randrange(len(members))
    name, content = members[i]
    members[i] = rng.choice((
        name[:-4], name.upper(), '/' + name, '../' + name, name + '\0', 'ü' + name,
        members[rng.randrange(len(members))][0])), content
    return archive_of(members)


def drop_member(rng, data):
    members = members_of(data)
    del members[rng.randrange(len(members))]
    return archive_of(members)


def repeat_member(rng, data):
    members = members_of(data)
    name, content = rng.choice(members)
    return archive_of([*members, (name, rng.choice((
        content, npy(numpy.zeros(4)), rng.choice(members)[1])))])


def pack_otherwise(rng, data):
    return archive_of(
        members_of(data), rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))


def change_directory(rng, data):
    """Change a field of an entry in the central directory or of a local header."""
    magic, fields = rng.choice((
        (b'PK\1\2', ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2),
                     (32, 2), (42, 4))),
        (b'PK\3\4', ((6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2))),
        (b'PK\5\6', ((8, 2), (10, 2), (12, 4), (16, 4), (20, 2)))))
    starts, at = [], data.find(magic)
    while at >= 0:
        starts.append(at)
        at = data.find(magic, at + 1)
    start = rng.choice(starts)
    offset, size = rng.choice(fields)
    old = int.from_bytes(data[start + offset:start + offset + size], 'little')
    new = rng.choice((*LARGE, old + 1, old - 1, old ^ 1, old * 2))
    new = (new & ((1 << 8 * size) - 1)).to_bytes(size, 'little')
    return data[:start + offset] + new + data[start + offset + size:]


ARCHIVE = (claim_shape, claim_dtype, claim_order, break_header, break_array,
           put_other_array, put_trap, put_trap_with_none, put_bomb, swap_members,
           rename_member, drop_member, repeat_member, pack_otherwise,
           change_directory, change_directory, change_directory)


# -- HDF5 files that are well-formed


def change_hdf5(change):
    """Make a mutation from a function that changes a dataset of an open file."""
    def mutate(rng, data):
        import h5py
        file = io.BytesIO(data)
        with h5py.File(file, 'r+') as opened:
            names = []
            opened.visititems(lambda name, item: names.append(name) if isinstance(
                item, h5py.Dataset) else None)
            name = rng.choice(sorted(names))
            parent = opened[name].parent
            change(rng, h5py, parent, name.rpartition('/')[2])
        return file.getvalue()
    mutate.__name__ = change.__name__
    return mutate


@change_hdf5
def drop_dataset(rng, h5py, group, key):
    del group[key]


@change_hdf5
def put_other_dataset(rng, h5py, group, key):
    del group[key]
    group[key] = rng.choice((
        numpy.float32(3), numpy.zeros((4, 3)), numpy.zeros((3, 4), 'f'),
        numpy.ones((4, 3), 'D'), 'text', b'bytes', h5py.Empty('f'),
        numpy.zeros((0, 3)), -1, 1 << 62, True, numpy.array([(1, 2)], 'i4,f4')))


@change_hdf5
def put_group(rng, h5py, group, key):
    del group[key]
    group.create_group(key)


@change_hdf5
def put_link(rng, h5py, group, key):
    del group[key]
    group[key] = rng.choice((
        h5py.SoftLink('/no/where'), h5py.SoftLink(group.name + '/' + key),
        h5py.ExternalLink('/etc/passwd', '/x'), h5py.ExternalLink(__file__, 'x')))


@change_hdf5
def put_claim(rng, h5py, group, key):
    """A dataset with a large shape but no data."""
    del group[key]
    group.create_dataset(
        key, (rng.choice((1 << 28, 1 << 40)),), 'f4',
        **rng.choice(({}, {'chunks': (1 << 10,)}, {'chunks': (1 << 26,)})))


@change_hdf5
def put_external_storage(rng, h5py, group, key):
    del group[key]
    group.create_dataset(key, (4,), 'f4', external=[(__file__, 0, 16)])


@change_hdf5
def put_objects(rng, h5py, group, key):
    del group[key]
    kind = rng.choice((h5py.ref_dtype, h5py.vlen_dtype(numpy.int32)))
    group.create_dataset(key, rng.choice(((), (4,))), kind)


@change_hdf5
def put_packed_bomb(rng, h5py, group, key):
    """A chunk that unpacks to more than its size."""
    del group[key]
    dataset = group.create_dataset(key, (4, 3), 'f4', chunks=(4, 3), compression=4)
    dataset.id.write_direct_chunk((0, 0), zlib.compress(bytes(1 << 26), 9))


HDF5 = (drop_dataset, put_other_dataset, put_group, put_link, put_claim,
        put_external_storage, put_objects, put_packed_bomb)
