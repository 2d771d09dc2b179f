"""Reading and writing files that contain Python."""
import io
import json
import os
import re
import tempfile
import tokenize

from chainer_fast._help.command.check import analysis

_SKIPPED = {'__pycache__', 'node_modules', 'build', 'dist', 'site-packages'}
_CELL = '# chainer-fast: cell %d\n'
_MAGIC = '# chainer-fast: magic '


class Unreadable(Exception):
    """A file that cannot be read as Python."""


def collect(paths):
    """Return the sources at the paths, sorted; folders are searched recursively.

    Parameters
    ----------
    paths : iterable of str
        Files, which are used regardless of their names, and folders, which are
        searched for ``.py`` and ``.ipynb``.
    """
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders
                                if name not in _SKIPPED and not name.startswith('.'))
            # Opening a pipe would wait for a writer.
            found.extend(full for name in sorted(names)
                         if name.endswith(('.py', '.ipynb'))
                         and os.path.isfile(full := os.path.join(folder, name)))
    return list(dict.fromkeys(found))


def _without_magics(lines):
    """Return the lines of a cell, with comments in place of IPython's syntax.

    The comment keeps the indentation of its line, so that blocks remain valid. An
    indented line may instead continue an expression, as ``% (a, b)`` does; only the
    first line of a cell is replaced without a trial.
    """
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    # A cell with such a first line is in another language.
    if lines[first].lstrip().startswith('%%'):
        return [_MAGIC + line for line in lines]
    plain = [_commented(lines, k) if k == first or not line[:1].isspace() else line
             for k, line in enumerate(lines)]
    if analysis.compiles('\n'.join(plain)):
        return plain
    every = [_commented(lines, k) for k in range(len(lines))]
    return every if analysis.compiles('\n'.join(every)) else plain


def _commented(lines, k):
    """Return a line, as a comment if it is for IPython."""
    code = lines[k].lstrip()
    if not code.startswith(('%', '!')):
        return lines[k]
    indentation = lines[k][:len(lines[k]) - len(code)]
    before = next((line for line in reversed(lines[:k]) if line.strip()), '')
    # It may be the only line of a block.
    is_block = before.rstrip().endswith(':')
    return indentation + ('pass  ' if is_block else '') + _MAGIC + code


class Source:
    """A file of Python, or a notebook.

    Attributes
    ----------
    path : str
    text : str
        The source, with line feeds if it has only one kind of line end. The cells of a
        notebook are concatenated.
    """

    def __init__(self, path):
        self.path = path
        try:
            with open(path, 'rb') as f:
                content = f.read()
            self._read(content)
        except (OSError, SyntaxError, ValueError, LookupError, KeyError,
                TypeError) as error:
            raise Unreadable('%s: cannot be read: %s' % (path, error)) from error

    def _read(self, content):
        self._newline = '\n'
        if self.path.endswith('.ipynb'):
            self._notebook = json.loads(content.decode('utf-8'))
            self.text = self._from_cells()
            return
        self._notebook = None
        self._encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        self.text = content.decode(self._encoding)
        ends = set(re.findall('\r\n|\r|\n', self.text))
        if len(ends) == 1:
            self._newline, = ends
            self.text = self.text.replace(self._newline, '\n')

    def _code_cells(self):
        return [cell for cell in self._notebook['cells']
                if cell['cell_type'] == 'code']

    def _from_cells(self):
        parts = []
        for number, cell in enumerate(self._code_cells()):
            lines = _without_magics(''.join(cell['source']).split('\n'))
            parts.append(_CELL % number + '\n'.join(lines) + '\n')
        return ''.join(parts)

    def place(self, line):
        """Return the position of a line of the text in the file, as text."""
        if self._notebook is None:
            return str(line)
        before = self.text.split('\n')[:line]
        starts = [number for number, text in enumerate(before)
                  if text.startswith(_CELL[:20])]
        return 'cell %d:%d' % (len(starts), line - 1 - starts[-1])

    def encode(self, text):
        """Return the bytes of the file with another text as its source."""
        if self._notebook is not None:
            cells = re.split(_CELL.replace('%d', r'\d+'), text)
            # Added imports precede the first cell.
            cells = [cells[0] + cells[1], *cells[2:]] if len(cells) > 1 else cells
            for cell, changed in zip(self._code_cells(), cells, strict=True):
                changed = changed.replace('pass  ' + _MAGIC, '').replace(
                    _MAGIC, '').removesuffix('\n')
                if changed != ''.join(cell['source']):
                    cell['source'] = changed.splitlines(keepends=True)
            return (json.dumps(self._notebook, indent=1, ensure_ascii=False)
                    + '\n').encode('utf-8')
        if self._newline != '\n':
            text = text.replace('\n', self._newline)
        return text.encode(self._encoding)

    def write(self, text):
        """Write another text to the file atomically."""
        content = self.encode(text)
        path = os.path.realpath(self.path)
        if not os.access(path, os.W_OK):    # os.replace() ignores it
            raise PermissionError('the file is read-only')
        handle, temporary = tempfile.mkstemp(
            dir=os.path.dirname(path), prefix='.' + os.path.basename(path))
        try:
            with os.fdopen(handle, 'wb') as f:
                f.write(content)
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
