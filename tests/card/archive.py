"""What a visit leaves: a page and one archive, however far it came."""
import contextlib
import io
import os
import pathlib
import tarfile
import traceback

from tests.card import page

#: Bytes of an archive that come back from a machine, with something to spare.
LARGEST = 15 << 20
NAME = 'results.tar.gz'


def contents(results):
    """Return what is in the files of the results, the smallest first."""
    found = []
    for path in sorted(results.rglob('*')):
        # Commands that run write and remove files.
        with contextlib.suppress(OSError):
            if path.is_file():
                found.append((path.relative_to(results).as_posix(), path.read_bytes()))
    return sorted(found, key=lambda each: len(each[1]))


def packed(found):
    """Return an archive of files, given as names and bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode='w:gz', compresslevel=6) as archive:
        for name, content in found:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def pack(results, largest=LARGEST):
    """Return an archive of a folder; without its largest files if it is too large."""
    found, left_out = contents(results), []
    while len(archive := packed([*found, *left_out])) > largest and found:
        name, content = found.pop()
        line = '%s: %d bytes\n' % (name, len(content))
        text = b''.join(text for _, text in left_out) + line.encode()
        left_out = [('left_out.txt', text)]
    return archive


def replace(path, content):
    """Write a file as a whole: a reader finds the old one or the new one."""
    new = path.with_name(path.name + '.new')
    new.write_bytes(content)
    os.replace(new, path)


def leave(results, out, **options):
    """Write page and archive of results into a folder, and return the page's path.

    Parameters
    ----------
    results, out : pathlib.Path
    **options
        Arguments of ``page.make``. Whatever is wrong with a page, there is an archive.
    """
    try:
        text = page.make(results, **options)
    except Exception:
        text = '# A page that could not be made\n\n````\n%s````\n' % (
            traceback.format_exc())
    out.mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(out, 'page.md')
    replace(path, text.encode())
    replace(pathlib.Path(out, NAME), pack(results))
    return path
