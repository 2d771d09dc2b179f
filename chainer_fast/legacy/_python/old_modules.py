"""The commonly used parts of modules that Python 3.12 and 3.13 removed.

This file needs only the standard library.
"""
import binascii
import html
import importlib
import importlib.machinery
import importlib.util
import os
import shlex
import sys
import threading
import tokenize
import types
import urllib.parse

_SOURCE, _COMPILED, _EXTENSION, _PACKAGE, _BUILTIN, _FROZEN = 1, 2, 3, 5, 6, 7
_lock = threading.RLock()


def module(name, doc, **contents):
    """Return a new module."""
    made = types.ModuleType(name, doc)
    vars(made).update(contents)
    return made


def _run(name, spec):
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    try:
        spec.loader.exec_module(made)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules[name]


def _load_path(name, path, loader, **options):
    return _run(name, importlib.util.spec_from_file_location(
        name, path, loader=loader(name, path), **options))


def _load_source(name, pathname, file=None):
    return _load_path(name, pathname, importlib.machinery.SourceFileLoader)


def _load_compiled(name, pathname, file=None):
    return _load_path(name, pathname, importlib.machinery.SourcelessFileLoader)


def _load_dynamic(name, path, file=None):
    return _load_path(name, path, importlib.machinery.ExtensionFileLoader)


def _load_package(name, path):
    for suffix, load in (('.py', importlib.machinery.SourceFileLoader),
                         ('.pyc', importlib.machinery.SourcelessFileLoader)):
        inside = os.path.join(path, '__init__' + suffix)
        if os.path.exists(inside):
            return _load_path(
                name, inside, load, submodule_search_locations=[path])
    raise ValueError('%r is not a package' % path)


def _init_builtin(name):
    spec = importlib.machinery.BuiltinImporter.find_spec(name)
    return None if spec is None else importlib.import_module(name)


def _suffixes():
    machinery = importlib.machinery
    return [*[(suffix, 'rb', _EXTENSION) for suffix in machinery.EXTENSION_SUFFIXES],
            *[(suffix, 'r', _SOURCE) for suffix in machinery.SOURCE_SUFFIXES],
            *[(suffix, 'rb', _COMPILED) for suffix in machinery.BYTECODE_SUFFIXES]]


def _find_module(name, path=None):
    if path is None:
        if name in sys.builtin_module_names:
            return None, None, ('', '', _BUILTIN)
        if importlib.machinery.FrozenImporter.find_spec(name) is not None:
            found = importlib.machinery.PathFinder.find_spec(name)
            if found is None or found.origin is None:
                return None, None, ('', '', _FROZEN)
        path = sys.path
    for folder in path:
        inside = os.path.join(folder, name)
        if any(os.path.isfile(os.path.join(inside, '__init__' + suffix))
               for suffix in ('.py', '.pyc')):
            return None, inside, ('', '', _PACKAGE)
        for suffix, mode, kind in _suffixes():
            if os.path.isfile(inside + suffix):
                if 'b' in mode:
                    return open(inside + suffix, mode), inside + suffix, (
                        suffix, mode, kind)
                return tokenize.open(inside + suffix), inside + suffix, (
                    suffix, mode, kind)
    raise ImportError('No module named %r' % name, name=name)


def _load_module(name, file, filename, details):
    kind = details[2]
    loaders = {_SOURCE: _load_source, _COMPILED: _load_compiled,
               _EXTENSION: _load_dynamic}
    if kind in loaders:
        return loaders[kind](name, filename, file)
    if kind == _PACKAGE:
        return _load_package(name, filename)
    if kind in (_BUILTIN, _FROZEN):
        return importlib.import_module(name)
    raise ImportError('no module %r of the kind %r can be loaded' % (name, kind),
                      name=name)


def imp():
    """Return the module ``imp``."""
    return module(
        'imp', 'Of importlib.', PY_SOURCE=_SOURCE, PY_COMPILED=_COMPILED,
        C_EXTENSION=_EXTENSION, PKG_DIRECTORY=_PACKAGE, C_BUILTIN=_BUILTIN,
        PY_FROZEN=_FROZEN, SEARCH_ERROR=0, PY_RESOURCE=4, PY_CODERESOURCE=8,
        IMP_HOOK=9, find_module=_find_module, load_module=_load_module,
        load_source=_load_source, load_compiled=_load_compiled,
        load_dynamic=_load_dynamic, load_package=_load_package,
        init_builtin=_init_builtin, init_frozen=_init_builtin,
        is_builtin=lambda name: int(name in sys.builtin_module_names),
        is_frozen=lambda name: importlib.machinery.FrozenImporter.find_spec(
            name) is not None,
        get_suffixes=_suffixes, get_magic=lambda: importlib.util.MAGIC_NUMBER,
        get_tag=lambda: sys.implementation.cache_tag,
        cache_from_source=importlib.util.cache_from_source,
        source_from_cache=importlib.util.source_from_cache,
        acquire_lock=_lock.acquire, release_lock=_lock.release,
        lock_held=lambda: False, reload=importlib.reload, new_module=types.ModuleType)


def pipes():
    """Return the module ``pipes``."""
    return module('pipes', 'Of shlex.', quote=shlex.quote)


def _parse_header(line):
    """Return the value of a header, and its parameters."""
    parts = shlex.shlex(line, posix=True, punctuation_chars=False)
    parts.whitespace, parts.whitespace_split, parts.commenters = ';', True, ''
    parts.quotes = '"'
    value, *options = [part.strip() for part in parts] or ['']
    pairs = [option.partition('=') for option in options if '=' in option]
    return value, {name.strip().lower(): text.strip() for name, _, text in pairs}


def _escape(s, quote=False):
    return html.escape(s, quote=bool(quote)).replace('&#x27;', "'")


def cgi():
    """Return the module ``cgi``."""
    return module('cgi', 'Of html and urllib.parse.', escape=_escape,
                  parse_header=_parse_header, parse_qs=urllib.parse.parse_qs,
                  parse_qsl=urllib.parse.parse_qsl)


_STARTS = (
    (0, b'\x89PNG\r\n\x1a\n', 'png'), (6, b'JFIF', 'jpeg'), (6, b'Exif', 'jpeg'),
    (0, b'\xff\xd8\xff\xdb', 'jpeg'), (0, b'GIF87a', 'gif'), (0, b'GIF89a', 'gif'),
    (0, b'MM', 'tiff'), (0, b'II', 'tiff'), (0, b'\001\332', 'rgb'),
    (0, b'\x59\xA6\x6A\x95', 'rast'), (0, b'#define ', 'xbm'), (0, b'BM', 'bmp'),
    (8, b'WEBP', 'webp'), (0, b'\x76\x2f\x31\x01', 'exr'))


def _what(file, h=None):
    """Return the type of an image, by the first bytes of its file, or None."""
    if h is None:
        if isinstance(file, (str, os.PathLike)):
            with open(file, 'rb') as opened:
                h = opened.read(32)
        else:
            place = file.tell()
            h = file.read(32)
            file.seek(place)
    for start, text, kind in _STARTS:
        if h[start:start + len(text)] == text:
            return kind
    if len(h) > 2 and h[:1] == b'P' and h[2:3] in b' \t\n\r':
        return {b'1': 'pbm', b'4': 'pbm', b'2': 'pgm', b'5': 'pgm', b'3': 'ppm',
                b'6': 'ppm'}.get(h[1:2])
    return None


def imghdr():
    """Return the module ``imghdr``."""
    return module('imghdr', 'Kinds of pictures.', what=_what)


class _UUError(Exception):
    """Error for a file that is not in this encoding."""


def _open_uu(file, mode):
    return open(file, mode) if isinstance(file, (str, os.PathLike)) else file


def _encode_uu(in_file, out_file, name=None, mode=None, *, backtick=False):
    """Write a file in uuencode."""
    source, target = _open_uu(in_file, 'rb'), _open_uu(out_file, 'wb')
    if name is None:
        name = os.path.basename(in_file) if isinstance(in_file, str) else '-'
    target.write(b'begin %o %s\n' % ((mode or 0o666) & 0o777, name.encode('ascii')))
    for data in iter(lambda: source.read(45), b''):
        target.write(binascii.b2a_uu(data, backtick=backtick))
    target.write(b'`\nend\n' if backtick else b' \nend\n')
    for file, given in (source, in_file), (target, out_file):
        if file is not given:
            file.close()


def _decode_uu(in_file, out_file=None, mode=None, quiet=False):
    """Read a file in uuencode."""
    source = _open_uu(in_file, 'rb')
    for line in source:
        if line.startswith(b'begin ') and len(line.split(b' ', 2)) == 3:
            name = line.split(b' ', 2)[2].rstrip().decode('ascii')
            break
    else:
        raise _UUError('No valid begin line found in input file')
    if out_file is None:
        if os.path.exists(name) or os.sep in name:
            raise _UUError('%r is not a name for a new file here: pass out_file' % name)
        out_file = name
    target = _open_uu(out_file, 'wb')
    for line in source:
        if line.strip(b' \t\r\n\f`') == b'end':
            break
        if line.strip(b' `\r\n'):
            target.write(binascii.a2b_uu(line))
    for file, given in (source, in_file), (target, out_file):
        if file is not given:
            file.close()


def uu():
    """Return the module ``uu``."""
    return module('uu', 'Of binascii.', encode=_encode_uu, decode=_decode_uu,
                  Error=_UUError)


#: Names, and functions that create the modules.
MODULES = {'imp': imp, 'pipes': pipes, 'cgi': cgi, 'imghdr': imghdr, 'uu': uu}
