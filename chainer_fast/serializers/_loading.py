"""State shared by the deserializers of one file."""
import contextlib
import errno
import functools
import os

from chainer_fast._help import mistakes
from chainer_fast.serializers._rollback import Journal

# Memory limit for values whose size the object does not determine, in addition to a
# hundred times the size of the file.
_SPARE = 1 << 30
_INFLATION = 100


class Loading:
    """The loading of one file: its name, the record of old values, the memory limit.

    Parameters
    ----------
    source : object
        The file: a name, or a file object.

    Attributes
    ----------
    path : str or None
        Path of the value requested last.
    asked : set of str
        Paths of the values requested so far.
    is_checked : bool
        Whether the file's directory has been checked.
    """

    def __init__(self, source):
        self.path = None
        self.asked = set()
        self.is_checked = False
        self._source = source
        self._journal = None
        self._untold = 0

    @functools.cached_property
    def file(self):
        """Name of the file for errors."""
        return name_of(self._source)

    @functools.cached_property
    def size(self):
        """Size of the file in bytes; 0 if unknown."""
        source = _file_of(self._source)
        try:
            if isinstance(source, (str, bytes, os.PathLike)):
                return os.stat(source).st_size
            position = source.tell()
            size = source.seek(0, os.SEEK_END)
            source.seek(position)
        except (AttributeError, OSError):
            return 0
        return size

    def describe(self, path):
        """Return the name of a value for errors."""
        return '%r of %s' % (path, self.file)

    @contextlib.contextmanager
    def filling(self, array):
        """Return a context that fills an array completely or not at all."""
        if self._journal is not None:       # part of an object being loaded
            self._journal.note_array(array)
            yield
            return
        journal = Journal()
        journal.note_array(array)
        try:
            yield
        except BaseException:
            journal.undo()
            raise

    def allot(self, n_bytes, path):
        """Count the memory of a compressed value whose size the object does not
        determine.

        Raises
        ------
        ValueError
            If it exceeds the limit.
        """
        self._untold += n_bytes
        if self._untold > _SPARE + _INFLATION * self.size:
            raise ValueError(
                '%s unpacks to %d bytes, far more than the size of the file suggests, '
                'and the object to load has no shape to compare. If this is correct, '
                'initialize the object, or save it with compression=False'
                % (self.describe(path), n_bytes))

    @contextlib.contextmanager
    def whole(self, obj):
        """Return a context in which an object is loaded completely or not at all.

        Its value is whether the object is the outermost one, not a part of another.
        """
        if self._journal is not None:
            self._journal.add(obj)
            yield False
            return
        self._journal = Journal()
        try:
            self._journal.add(obj)
            yield True
        except BaseException as error:
            self._journal.undo()
            self._explain(error)
            raise
        finally:
            self._journal = None

    def warn_of_rest(self, obj, paths):
        """Warn, once for each class, of values that were not loaded.

        Whole groups may remain: loading a part of a large model is common. But values
        that a link does not have indicate another kind of link.

        Parameters
        ----------
        obj : object
            The loaded object.
        paths : iterable of str
            Paths of the values in the file, without those to be ignored.
        """
        paths = set(paths)
        groups = set(map(_group_of, self.asked))
        rest = sorted(path for path in paths - self.asked if _group_of(path) in groups)
        if not rest:
            return
        kind = type(obj).__name__
        shown = ', '.join(map(repr, rest[:3])) + (', ...' if len(rest) > 3 else '')
        mistakes.warn_once((type(obj), tuple(rest)), (
            '%s has %d values that the %s does not have and that are ignored: %s. It '
            'was probably saved from another model or optimizer; if '
            'that is intended, load it with strict=False'
            % (self.file, len(rest), kind, shown)))

    def _explain(self, error):
        """Add the file and the value to an error that does not name them."""
        message = str(error)
        if (isinstance(error, (ValueError, TypeError)) and error.args == (message,)
                and self.path is not None and self.file not in message):
            error.args = (
                '%s (while loading %s)' % (message, self.describe(self.path)),)


def check_order(file, obj, function):
    """Raise an error if the object to save or load comes before the file.

    Parameters
    ----------
    file, obj : object
        The two arguments.
    function : str
        Name of the function that was called.

    Raises
    ------
    chainer_fast._help.mistakes.WrongKind
        If the file has a method ``serialize`` and the object is a name.
    """
    if hasattr(file, 'serialize') and not hasattr(obj, 'serialize'):
        raise mistakes.WrongKind(
            'the file must be a name or a file object, but is a %s, and the object is '
            '%r: the file comes first, %s(file, object)' % (
                type(file).__name__, obj, function))


def open_to_read(path):
    """Open a file; a folder raises the same error on all systems.

    The error of Windows only denies the permission.
    """
    try:
        return open(os.fspath(path), 'rb')
    except PermissionError:
        if not os.path.isdir(path):
            raise
    raise IsADirectoryError(
        errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))


def name_of(source):
    """Return the name for errors of a file, given by name or as an object."""
    source = _file_of(source)
    if not isinstance(source, (str, bytes, os.PathLike)):
        name = getattr(source, 'name', None)
        if not isinstance(name, (str, bytes)):
            return 'the given %s' % type(source).__name__
        source = name
    return repr(os.fsdecode(source))


def _group_of(path):
    return path.rpartition('/')[0]


def _file_of(source):
    """Return the file name of an object of h5py; return other sources unchanged."""
    if hasattr(source, 'read'):     # a file of Python
        return source
    return getattr(getattr(source, 'file', source), 'filename', source)
