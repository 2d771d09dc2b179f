"""Files as in Python 2: text and bytes were the same, and mode U existed."""
import builtins
import codecs
import io

from chainer_fast.legacy import _report

_MODE_U = 'open of mode U'
_OTHER_KIND = 'text to a file of bytes, or bytes to one of text'
_NOT_TEXT = 'bytes read from a file of text'
_SNIFFED = 1 << 20


def as_bytes(text):
    """Convert text to the bytes that it was in Python 2."""
    try:
        return text.encode('latin1')
    except UnicodeEncodeError:
        return text.encode()


class TextFile(io.TextIOWrapper):
    """A text file that also accepts bytes."""

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
    """A binary file that also accepts text."""

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
    """Return whether the beginning of a file is UTF-8 text, or could be."""
    try:
        with builtins.open(path, 'rb') as file:
            start = file.read(_SNIFFED)
        start.decode()
    except UnicodeDecodeError as error:
        # The part that was read may end within a character.
        return error.end == len(start) == _SNIFFED and error.start > _SNIFFED - 4
    except OSError:
        return True
    return True


def _without_u(mode):
    """Return a mode without U, which meant universal newlines."""
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
        # Each byte is a character, which helpers convert back to a byte.
        kwargs = {**kwargs, 'encoding': 'latin1'}
        del arguments[3:4]
    return function(*arguments, **kwargs)


def _of_text(file, given, mode):
    """Return a text file that accepts bytes, instead of a plain one."""
    if type(file) is not io.TextIOWrapper:
        return file
    options = {'encoding': file.encoding, 'errors': file.errors,
               'newline': given.get('newline'), 'line_buffering': file.line_buffering}
    made = TextFile(file.detach(), **options)
    made.mode = mode    # type: ignore[misc]
    return made


def bytes_below(file):
    """Return the binary file below a text file, at the same position; or None."""
    if not isinstance(file, io.TextIOBase) or not hasattr(file, 'buffer'):
        return None
    if file.writable():
        file.flush()
    elif file.seekable():
        # What was read in advance is read again.
        file.buffer.seek(file.tell())
    return file.buffer


def go_on_behind(text, below):
    """Let a text file continue at the position of its binary file."""
    if text.seekable() and not text.writable():
        text.seek(below.tell())
