"""Functions of bytes that accepted text in Python 2, where text was bytes."""
import functools

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import files

_ENCODERS = frozenset({
    'b16encode', 'b32encode', 'b64encode', 'b2a_base64', 'b2a_hex', 'hexlify',
    'standard_b64encode', 'urlsafe_b64encode'})
_HASHES = frozenset({'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'})
#: Names by which programs call them.
NAMES = _ENCODERS | _HASHES | {
    'BytesIO', 'adler32', 'compress', 'crc32', 'decompress', 'frombuffer'}
_MODULES = frozenset({'_io', 'base64', 'binascii', 'bz2', 'gzip', 'hashlib', 'lzma',
                      'numpy', 'zlib'})


def _is_of_hashes(module):
    # Their modules are _md5, _sha2 and others, or OpenSSL's.
    return str(module).startswith(('_hashlib', '_md5', '_sha', '_blake'))


def _is_of_bytes(function):
    """Return whether it is one of these functions, and not the program's own."""
    module = getattr(function, '__module__', None)
    return module in _MODULES or _is_of_hashes(
        module or type(getattr(function, '__self__', None)).__module__)


def of_bytes(function, *args, **kwargs):
    """Call a function; if it rejects text, call it with the bytes of the text.

    Functions such as ``b64encode``, which return bytes for bytes, return text for text.
    """
    try:
        return function(*args, **kwargs)
    except TypeError:
        if not any(type(arg) is str for arg in args) or not _is_of_bytes(function):
            raise
    _report.adapted('text in the place of bytes')
    result = function(*[
        files.as_bytes(arg) if type(arg) is str else arg for arg in args], **kwargs)
    return result.decode('ascii') if function.__name__ in _ENCODERS else result


def update_of(owner):
    """Return the method ``update`` of an object; that of a hash also accepts text."""
    update = owner.update
    if _is_of_hashes(type(owner).__module__):
        return functools.partial(of_bytes, update)
    return update
