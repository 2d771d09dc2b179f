import io
import pickle
import subprocess
import sys

import numpy
import pytest

from chainer_fast import datasets


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / 'objects.pkl')
    with datasets.open_pickle_dataset_writer(path) as writer:
        for i in range(4):
            writer.write({'i': i, 'array': numpy.arange(i * 10000)})
    return path


def check(objects):
    assert len(objects) == 4
    for i in 3, 0, 2, 1:
        assert objects[i]['i'] == i
        numpy.testing.assert_array_equal(objects[i]['array'], numpy.arange(i * 10000))


def test_file(path):
    with datasets.open_pickle_dataset(path) as objects:
        check(objects)
        assert [x['i'] for x in objects[1:3]] == [1, 2]
        with pickle.loads(pickle.dumps(objects)) as copy:
            check(copy)
    with pytest.raises(ValueError, match='closed'):
        objects[0]


def test_memory():
    file = io.BytesIO()
    writer = datasets.PickleDatasetWriter(file, protocol=4)
    writer.write(1)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        writer.write([bytes(1 << 17), lambda: None])  # a beginning worth a write
    writer.write('three')
    writer.flush()
    assert file.getvalue() == pickle.dumps(1, 4) + pickle.dumps('three', 4)
    objects = datasets.PickleDataset(file)
    assert objects[:] == [1, 'three']
    with pytest.raises(IndexError):
        objects[2]


def test_empty_and_broken_files(tmp_path):
    path = tmp_path / 'x'
    path.write_bytes(b'')
    with datasets.open_pickle_dataset(path) as objects:
        assert len(objects) == 0
    path.write_bytes(b'text')
    with pytest.raises(pickle.UnpicklingError):
        datasets.open_pickle_dataset(path)
    with pytest.raises(FileNotFoundError):
        datasets.open_pickle_dataset(tmp_path / 'none')


@pytest.mark.posix('the program is forked')
def test_after_fork(path):
    # In an interpreter of its own, which has no threads.
    code = '''if True:
        import multiprocessing, sys
        from chainer_fast import datasets
        objects = datasets.open_pickle_dataset(sys.argv[1])
        def read():
            for _ in range(100):
                assert [x['i'] for x in objects[:]] == [0, 1, 2, 3]
        process = multiprocessing.get_context('fork').Process(target=read)
        with objects._lock:  # as a thread of the parent might
            process.start()
        read()
        process.join(20)
        code = process.exitcode
        process.kill()
        sys.exit(code != 0)
    '''
    subprocess.run([sys.executable, '-c', code, path], check=True, timeout=60)


def test_reader_that_cannot_go_back():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    with pytest.raises(ValueError, match='seekable file'):
        datasets.PickleDataset(Pipe())
