"""Writing files that appear as a whole or not at all."""
import contextlib
import os
import secrets
import shutil


@contextlib.contextmanager
def replacing(name):
    """Return a context with the path of a draft, which then takes the file's place.

    If anything goes wrong the draft is removed and the file left alone.  What cannot
    be replaced, such as a pipe or a file in a directory that is read-only, is its own
    draft.

    Parameters
    ----------
    name : str
        Name of the file.
    """
    # A symbolic link keeps leading to the file.
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    exists = os.path.exists(target)
    if exists and not (os.path.isfile(target) and os.access(folder, os.W_OK)):
        yield target
        return
    draft = os.path.join(folder, '.%s.tmp' % secrets.token_hex(8))
    try:
        open(draft, 'xb').close()
    except OSError as error:
        error.filename = name
        raise
    try:
        if exists:
            shutil.copymode(target, draft)
        yield draft
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
