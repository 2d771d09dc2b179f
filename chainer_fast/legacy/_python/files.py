"""Files as Python 2 opened them: text and bytes were the same, and there was mode U."""
import builtins
import codecs
import io

from chainer_fast.legacy import _report

_MODE_U = 'open of mode U'
_OTHER_KIND = 'text to a file of bytes, or bytes to one of text'
_NOT_TEXT = 'bytes read from a file of text'
_SNIFFED = 1 << 20


def as_bytes(text):
    """Return text as the bytes that Python 2 had for it."""
    try:
        return text.encode('latin1')
    except UnicodeEncodeError:
        return text.encode()


class TextFile(io.TextIOWrapper):
    """A file of text that takes bytes as well."""

    def write(self, data, /):
        """Write text or bytes."""
        if isinstance(data, str):
            return super().write(data)
        _report.adapted(_OTHER_KIND)
        self.flush()
        return self.buffer.write(data)

    def writelines(self, lines, /):
        """Write several texts or bytes."""
        for line in lines:
            self.write(line)


class BytesFile(io.BufferedWriter):
    """A file of bytes that takes text as well."""

    def write(self, data, /):
        """Write bytes or text."""
        if isinstance(data, str):
            _report.adapted(_OTHER_KIND)
            data = data.encode()
        return super().write(data)

    def writelines(self, lines, /):
        """Write several bytes or texts."""
        for line in lines:
            self.write(line)


def _is_text(path):
    """Whether the beginning of a file is text in UTF-8, or it cannot be told."""
    try:
        with builtins.open(path, 'rb') as file:
            start = file.read(_SNIFFED)
        start.decode()
    except UnicodeDecodeError as error:
        # What was read may end within a character.
        return error.end == len(start) == _SNIFFED and error.start > _SNIFFED - 4
    except OSError:
        return True
    return True


def _without_u(mode):
    """Return a mode without U, which meant any ends of lines."""
    _report.adapted(_MODE_U)
    mode = mode.replace('U', '')
    return mode if mode[:1] in ('r', 'w', 'a', 'x') else 'r' + mode


def opened(function, is_python_2, *args, **kwargs):
    """Call ``open``, or a function of another module by this name."""
    if function not in (builtins.open, codecs.open):
        return function(*args, **kwargs)
    arguments = list(args)
    mode = arguments[1] if len(arguments) > 1 else kwargs.get('mode', 'r')
    if isinstance(mode, str) and 'U' in mode:
        mode = _without_u(mode)
        if len(arguments) > 1:
            arguments[1] = mode
        else:
            kwargs['mode'] = mode
    if function is not builtins.open or not isinstance(mode, str) or '+' in mode:
        return function(*arguments, **kwargs)
    is_written = mode[:1] in ('w', 'a', 'x')
    names = ('buffering', 'encoding', 'errors', 'newline')
    given = {**dict(zip(names, arguments[2:], strict=False)), **kwargs}
    if 'b' in mode:
        if not is_written or given.get('buffering', -1) == 0:
            return function(*arguments, **kwargs)
        file = function(*arguments, **kwargs)
        return BytesFile(file.detach()) if type(file) is io.BufferedWriter else file
    if is_written:
        file = function(*arguments, **kwargs)
        return _of_text(file, given, mode)
    if is_python_2 and given.get('encoding') is None and not isinstance(
            arguments[0] if arguments else kwargs.get('file'), int) and not _is_text(
                arguments[0] if arguments else kwargs.get('file')):
        _report.adapted(_NOT_TEXT)
        # Each byte is a character, which helpers make a byte again.
        kwargs = {**kwargs, 'encoding': 'latin1'}
        del arguments[3:4]
    return function(*arguments, **kwargs)


def _of_text(file, given, mode):
    """Return a file of text that takes bytes, in the place of a plain one."""
    if type(file) is not io.TextIOWrapper:
        return file
    options = {'encoding': file.encoding, 'errors': file.errors,
               'newline': given.get('newline'), 'line_buffering': file.line_buffering}
    made = TextFile(file.detach(), **options)
    made.mode = mode    # type: ignore[misc]
    return made


def bytes_below(file):
    """Return the file of bytes below one of text, at the same place; or None."""
    if not isinstance(file, io.TextIOBase) or not hasattr(file, 'buffer'):
        return None
    if file.writable():
        file.flush()
    elif file.seekable():
        # What was read in advance is read again.
        file.buffer.seek(file.tell())
    return file.buffer


def go_on_behind(text, below):
    """Have a file of text go on where the one of bytes below it is."""
    if text.seekable() and not text.writable():
        text.seek(below.tell())
