"""Reading of files that announce lengths."""
import io
import pickle

# Maximal number of bytes read at once, whatever a file announces.
_PIECE = 1 << 20


class Announced:
    """Reads a file that announces lengths and may be damaged.

    ``read(n)`` of a file allocates ``n`` bytes before it reads them.

    Parameters
    ----------
    file : file
        The file.
    name : str
        Name of the file for errors.
    """

    def __init__(self, file, name):
        self._file = file
        self._name = name
        self.readline = file.readline

    def read(self, n):
        """Return the next ``n`` bytes; for small ``n``, some may be missing."""
        if n <= _PIECE:
            return self._file.read(n)
        content = io.BytesIO()
        while content.tell() < n:
            piece = self._file.read(min(n - content.tell(), _PIECE))
            if not piece:
                raise pickle.UnpicklingError(
                    '%s is damaged or truncated: it announces %d bytes where %d are '
                    'left' % (self._name, n, content.tell()))
            content.write(piece)
        return content.getvalue()
