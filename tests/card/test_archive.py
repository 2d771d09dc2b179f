"""What a visit leaves, however large it is and whatever is wrong with it."""
import os
import tarfile

from tests.card import archive


def test_archive_that_is_too_large(tmp_path):
    for name, size in {'small': 10, 'a/large': 3000, 'larger': 5000}.items():
        path = tmp_path / 'results' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size))
    found = archive.pack(tmp_path / 'results', 4500)
    assert len(found) <= 4500
    (tmp_path / 'it').write_bytes(found)
    with tarfile.open(tmp_path / 'it') as packed:
        assert packed.getnames() == ['small', 'a/large', 'left_out.txt']
        assert packed.extractfile('left_out.txt').read() == b'larger: 5000 bytes\n'


def test_page_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / 'results').mkdir()
    monkeypatch.setattr(archive.page, 'make', lambda *args, **kwargs: 1 / 0)
    path = archive.leave(tmp_path / 'results', tmp_path / 'out')
    assert 'ZeroDivisionError' in path.read_text()
    assert (tmp_path / 'out' / archive.NAME).exists()
