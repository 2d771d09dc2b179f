"""What a visit leaves: a page and one archive, however far it came."""
import io
import os
import pathlib
import tarfile
import traceback

from tests.card import page

#: Bytes of an archive that come back from a machine, with something to spare.
LARGEST = 15 << 20
NAME = 'results.tar.gz'


def files(results):
    """Return the files of the results, the smallest first."""
    found = [path for path in results.rglob('*') if path.is_file()]
    return sorted(found, key=lambda path: path.stat().st_size)


def packed(results, paths, left_out):
    """Return an archive of files, with a list of those that are not in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode='w:gz', compresslevel=6) as archive:
        for path in paths:
            archive.add(path, path.relative_to(results).as_posix())
        if left_out:
            text = ''.join('%s: %d bytes\n' % (
                path.relative_to(results).as_posix(), path.stat().st_size)
                for path in left_out).encode()
            entry = tarfile.TarInfo('left_out.txt')
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return buffer.getvalue()


def pack(results, largest=LARGEST):
    """Return an archive of a folder; without its largest files if it is too large."""
    paths, left_out = files(results), []
    while len(archive := packed(results, paths, left_out)) > largest and paths:
        left_out.append(paths.pop())
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
