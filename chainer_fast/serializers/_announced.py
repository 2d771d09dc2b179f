"""Reading as much of a file as it announces, and has."""
import io
import pickle

# Bytes that are read at once, whatever a file announces.
_PIECE = 1 << 20


class Announced:
    """Reads a file that tells lengths, which may be damaged.

    ``read(n)`` of a file makes room for ``n`` bytes before it looks for them.

    Parameters
    ----------
    file : file
        The file.
    name : str
        Its name for errors.
    """

    def __init__(self, file, name):
        self._file = file
        self._name = name
        self.readline = file.readline

    def read(self, n):
        """Return the next ``n`` bytes; fewer than are read at once may be missing."""
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
