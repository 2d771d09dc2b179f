import contextlib
import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
from http import server
from urllib import error, request

import pytest

from chainer_fast import dataset
from chainer_fast.dataset import download


@pytest.fixture
def root(tmp_path):
    saved = dataset.get_dataset_root()
    dataset.set_dataset_root(str(tmp_path))
    yield tmp_path
    dataset.set_dataset_root(saved)


@pytest.fixture
def web(monkeypatch):
    """Addresses and what they serve; an address that is missing fails."""
    pages = {}
    pages_read = []

    def urlretrieve(url, path):
        pages_read.append(url)
        if url not in pages:
            raise OSError('404')
        with open(path, 'wb') as f:
            f.write(pages[url])

    monkeypatch.setattr(request, 'urlretrieve', urlretrieve)
    monkeypatch.setattr(download, '_retrieve', urlretrieve)
    pages['read'] = pages_read
    return pages


def files_in(folder):
    return sorted(name for name in os.listdir(folder) if 'lock' not in name)


def test_directory(root):
    path = dataset.get_dataset_directory('a/b', create_directory=False)
    assert path == str(root / 'a' / 'b')
    assert not os.path.exists(path)
    assert dataset.get_dataset_directory('a/b') == path
    assert os.path.isdir(path)


def test_download_is_cached_by_address(root, web, capsys):
    web['https://x/1'] = b'one'
    path = dataset.cached_download('https://x/1')
    assert path == str(root / '_dl_cache' / hashlib.md5(b'https://x/1').hexdigest())
    with open(path, 'rb') as f:
        assert f.read() == b'one'
    assert dataset.cached_download('https://x/1') == path
    assert web['read'] == ['https://x/1']
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ('', 'Downloading from https://x/1...\n')


def test_cached_file_needs_no_lock(root, web):
    web['https://x/1'] = b'one'
    path = dataset.cached_download('https://x/1')
    lock = root / '_dl_cache' / '_dl_lock'
    lock.unlink()
    lock.mkdir()  # nobody can open it
    assert dataset.cached_download('https://x/1') == path
    with pytest.raises(OSError):
        dataset.cached_download('https://x/2')


def test_silent_server(root, monkeypatch):
    monkeypatch.setattr(download, '_PATIENCE', 0.2)
    with socket.create_server(('127.0.0.1', 0)) as listener:
        rescue = threading.Timer(20, listener.close)
        rescue.start()
        with pytest.raises(OSError, match='timed out'):
            dataset.cached_download('http://127.0.0.1:%d/x' % listener.getsockname()[1])
        rescue.cancel()
    assert socket.getdefaulttimeout() is None
    assert files_in(root / '_dl_cache') == []


@pytest.mark.parametrize('seconds, remains', [(10, True), (100000, False)])
def test_killed_download(root, web, seconds, remains):
    """The lock of a process that is no more is free, and its files are removed."""
    code = '''if True:
        import sys
        from chainer_fast import dataset
        dataset.set_dataset_root(sys.argv[1])
        dataset.cached_download(sys.argv[2])
    '''
    with socket.create_server(('127.0.0.1', 0)) as listener:
        url = 'http://127.0.0.1:%d/x' % listener.getsockname()[1]
        victim = subprocess.Popen(
            [sys.executable, '-c', code, str(root), url], stderr=subprocess.DEVNULL)
        connection, _ = listener.accept()
        with connection:
            connection.recv(10000)
            connection.sendall(b'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
            deadline = time.monotonic() + 30
            while not list(root.glob('_dl_cache/*/dl')):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            victim.kill()
            victim.wait(30)
    leftover, = files_in(root / '_dl_cache')
    for path in (root / '_dl_cache' / leftover, root / '_dl_cache' / leftover / 'dl'):
        os.utime(path, (time.time() - seconds,) * 2)
    web[url] = b'all of it'
    path = dataset.cached_download(url)
    with open(path, 'rb') as f:
        assert f.read() == b'all of it'
    assert files_in(root / '_dl_cache') == [
        os.path.basename(path), *([leftover] if remains else [])]


def test_full_disk(root):
    """A limit on the size of files stands in for it: writing fails alike."""
    class Handler(server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(bytes(200000))

        def log_message(self, *_):
            pass

    code = '''if True:
        import resource
        import sys
        from chainer_fast import dataset
        from chainer_fast.dataset import download
        dataset.set_dataset_root(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        try:
            download._verified_download([sys.argv[2]], '0' * 64)
        except RuntimeError as e:
            assert 'too large' in str(e), e
        try:
            dataset.cached_download(sys.argv[2])
        except OSError as e:
            sys.exit('too large' not in str(e))
        sys.exit('no error')
    '''
    with server.ThreadingHTTPServer(('127.0.0.1', 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        try:
            url = 'http://127.0.0.1:%d/x' % web.server_address[1]
            subprocess.run([sys.executable, '-c', code, str(root), url], check=True,
                           timeout=60)
            assert files_in(root / '_dl_cache') == []
            dataset.set_dataset_root(str(root))
            assert os.path.getsize(dataset.cached_download(url)) == 200000
        finally:
            web.shutdown()
            thread.join()


def test_failed_download_leaves_nothing(root, web):
    with pytest.raises(OSError, match='404'):
        dataset.cached_download('https://x/1')
    assert files_in(root / '_dl_cache') == []


SUMS = {'sha1': 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
        'sha256': 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'}


@pytest.mark.parametrize('checksum', [
    'sha1:' + SUMS['sha1'], 'sha256:' + SUMS['sha256'], SUMS['sha256'],
    'SHA256:' + SUMS['sha256'].upper()])
def test_checksum(root, web, checksum):
    web['https://x/1'] = b'foo\n'
    path = dataset.cached_download('https://x/1', checksum=checksum)
    assert path == dataset.cached_download('https://x/1')
    with open(path, 'rb') as f:
        assert f.read() == b'foo\n'
    assert dataset.cached_download('https://x/1', checksum=checksum) == path
    assert web['read'] == ['https://x/1']


def test_wrong_checksum(root, web):
    web['https://x/1'] = b'bar'
    with pytest.raises(OSError) as e:
        dataset.cached_download('https://x/1', checksum='sha1:' + SUMS['sha1'])
    assert str(e.value) == (
        'https://x/1: SHA-1 is 62cdb7020ff920e5aa642c3d4066950dd1f01f4d, expected '
        + SUMS['sha1'])
    assert files_in(root / '_dl_cache') == []


def test_wrong_copy_in_the_cache(root, web):
    web['https://x/1'] = b'bar'
    path = dataset.cached_download('https://x/1')
    web['https://x/1'] = b'foo\n'
    assert dataset.cached_download('https://x/1', checksum=SUMS['sha256']) == path
    with open(path, 'rb') as f:
        assert f.read() == b'foo\n'
    with pytest.raises(OSError, match='expected 000000'):
        dataset.cached_download('https://x/1', checksum='0' * 64)
    assert files_in(root / '_dl_cache') == []


@pytest.mark.parametrize('checksum', [
    '', 'sha256:', 'sha256:12', 'md5:' + '0' * 32, SUMS['sha1'], 'sha1:' + 'x' * 40])
def test_what_is_no_checksum(root, web, checksum):
    with pytest.raises(ValueError, match='64 for sha256, 40 for sha1'):
        dataset.cached_download('https://x/1', checksum=checksum)
    assert web['read'] == []


def test_verified_download_takes_the_first_good_mirror(root, web):
    digest = hashlib.sha256(b'good').hexdigest()
    web.update({'https://bad': b'bad', 'https://good': b'good'})
    path = download._verified_download(
        ['https://missing', 'https://bad', 'https://good'], digest)
    with open(path, 'rb') as f:
        assert f.read() == b'good'
    assert files_in(root / '_dl_cache') == [os.path.basename(path)]


def test_verified_download_names_every_reason(root, web):
    web['https://bad'] = b'bad'
    with pytest.raises(error.URLError) as e:
        download._verified_download(['https://missing', 'https://bad'], '0' * 64)
    assert 'https://missing: 404' in str(e.value)
    assert isinstance(e.value, OSError)
    assert 'https://bad: SHA-256' in str(e.value)
    # Where a copy from elsewhere is looked for.
    copy = download._cached_path(str(root / '_dl_cache'), 'https://missing')
    assert 'save that file as %s;' % copy in str(e.value)
    assert 'CHAINER_DATASET_ROOT' in str(e.value)
    assert files_in(root / '_dl_cache') == []


def test_verified_download_is_cached_whatever_the_mirror(root, web):
    web['https://2'] = b'good'
    mirrors = ['https://1', 'https://2']
    digest = hashlib.sha256(b'good').hexdigest()
    path = download._verified_download(mirrors, digest)
    assert download._verified_download(mirrors, digest) == path
    assert web['read'] == mirrors


def test_damaged_copy_is_replaced(root, web):
    web['https://1'] = b'good'
    digest = hashlib.sha256(b'good').hexdigest()
    path = download._verified_download(['https://1'], digest)
    with open(path, 'wb') as f:
        f.write(b'goo')
    assert download._verified_download(['https://1'], digest) == path
    with open(path, 'rb') as f:
        assert f.read() == b'good'
    with open(path, 'wb') as f:
        f.write(b'goo')
    del web['https://1']
    with pytest.raises(error.URLError, match='404'):
        download._verified_download(['https://1'], digest)


@pytest.mark.parametrize('answer, message', [
    (b'HTTP/1.0 404 Not Found\r\n\r\n', '404'),
    (b'nonsense\r\n\r\n', 'broken answer'),
    (b'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'SHA-256'),
    (b'', 'closed'),
    (None, 'timed out'),
])
def test_bad_servers(root, monkeypatch, answer, message):
    monkeypatch.setattr(download, '_PATIENCE', 0.3)

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(10000)
            if answer is None:
                over.wait(10)
            else:
                connection.sendall(answer)

    over = threading.Event()
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(error.URLError, match=message):
            download._verified_download(
                ['http://127.0.0.1:%d/x' % listener.getsockname()[1]], '0' * 64)
        over.set()
        thread.join()
    assert files_in(root / '_dl_cache') == []


def test_processes_share_one_download(root):
    requests = []

    class Handler(server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            time.sleep(0.5)  # long enough for all to ask at once
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'good')

        def log_message(self, *_):
            pass

    code = '''if True:
        import sys
        from chainer_fast import dataset
        from chainer_fast.dataset import download
        dataset.set_dataset_root(sys.argv[1])
        with open(download._verified_download(sys.argv[2:3], sys.argv[3])) as f:
            assert f.read() == 'good'
    '''
    with server.ThreadingHTTPServer(('127.0.0.1', 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        workers = [
            subprocess.Popen(
                [sys.executable, '-c', code, str(root),
                 'http://127.0.0.1:%d/x' % web.server_address[1],
                 hashlib.sha256(b'good').hexdigest()], stdout=subprocess.DEVNULL)
            for _ in range(3)]
        try:
            assert [worker.wait(60) for worker in workers] == [0, 0, 0]
        finally:
            web.shutdown()
            thread.join()
    assert requests == ['/x']


def write(path):
    with open(path, 'w') as f:
        f.write('made')
    return 'made'


def read(path):
    with open(path) as f:
        return 'read ' + f.read()


def test_cache_or_load_file(root):
    path = str(root / 'x.txt')
    assert dataset.cache_or_load_file(path, write, read) == 'made'
    assert dataset.cache_or_load_file(path, None, read) == 'read made'
    assert files_in(root) == ['x.txt']


def test_failed_creation_leaves_nothing(root):
    def fail(path):
        write(path)
        raise KeyError

    with pytest.raises(KeyError):
        dataset.cache_or_load_file(str(root / 'x.txt'), fail, read)
    assert files_in(root) == []


def test_two_creators_at_once(root):
    both_are_busy = threading.Barrier(2, timeout=10)

    def create(path):
        both_are_busy.wait()
        return write(path)

    results = []
    threads = [threading.Thread(target=lambda: results.append(
        dataset.cache_or_load_file(str(root / 'x'), create, read))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ['made', 'made']
    assert files_in(root) == ['x']


def test_root_that_cannot_be_made(root):
    write(str(root / 'file'))
    dataset.set_dataset_root(str(root / 'file'))
    with pytest.raises(RuntimeError, match='cannot create dataset directory'):
        dataset.cache_or_load_file(str(root / 'x'), write, read)
    with pytest.raises(OSError):
        dataset.cached_download('https://x/1')
