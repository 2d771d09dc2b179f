import contextlib
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import datasets


@pytest.fixture
def write(tmp_path):
    def write(name, text, encoding='utf-8'):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return str(path)
    return write


def opened(*args, **kwargs):
    return contextlib.closing(datasets.TextDataset(*args, **kwargs))


def test_one_file(write):
    with opened(write('a', 'one\n\nthree')) as lines:
        assert len(lines) == 3
        assert lines[:] == ['one\n', '\n', 'three']
        assert lines[[2, 0]] == ['three', 'one\n']
        for i in -1, 3:
            with pytest.raises(IndexError, match='of 3 lines'):
                lines[i]


def test_several_files(write, tmp_path):
    write('a', 'a\nb\n')
    with opened([tmp_path / 'a', write('b', '\u00e4\r\nb\r\n', 'latin1')],
                encoding=['ascii', 'latin1'], newline=[None, '']) as lines:
        assert lines[:] == [('a\n', '\u00e4\r\n'), ('b\n', 'b\r\n')]


def test_empty_file(write):
    with opened(write('a', '')) as lines:
        assert len(lines) == 0


def test_filter(write):
    with opened([write('a', '1\n2\n3\n'), write('b', '1\n0\n3\n')],
                filter_func=lambda a, b: a == b) as lines:
        assert lines[:] == [('1\n', '1\n'), ('3\n', '3\n')]


def test_errors_option(write):
    path = write('a', '\u00e41\n')
    with opened(path, encoding='ascii', errors='ignore') as lines:
        assert lines[0] == '1\n'
    with pytest.raises(UnicodeDecodeError):
        datasets.TextDataset(path, encoding='ascii')


def test_invalid_arguments(write, tmp_path):
    two = [write('a', 'a\n'), write('b', 'a\nb\n')]
    with pytest.raises(ValueError, match='number of lines.*a has 1 lines'):
        datasets.TextDataset(two)
    with pytest.raises(ValueError, match='each of 2 files'):
        datasets.TextDataset(two, encoding=['ascii'])
    with pytest.raises(ValueError, match=r'one or more, but got \[\]'):
        datasets.TextDataset([])
    with pytest.raises(FileNotFoundError):
        datasets.TextDataset([two[0], str(tmp_path / 'none')])


def test_close(write):
    lines = datasets.TextDataset(write('a', 'a\n'))
    copy = pickle.loads(pickle.dumps(lines))
    lines.close()
    with pytest.raises(ValueError, match='closed'):
        lines[0]
    assert copy[0] == 'a\n'
    copy.close()


@given(text=st.lists(st.text('a\u00e4\u3042\U0001f600 \t', max_size=5)),
       encoding=st.sampled_from(['utf-8', 'utf-16', 'utf-8-sig', 'shift_jis']),
       newline=st.sampled_from(['\n', '\r\n']))
def test_lines_are_those_of_the_file(tmp_path_factory, text, encoding, newline):
    path = tmp_path_factory.mktemp('text') / 'a'
    with open(path, 'w', encoding=encoding, errors='replace', newline=newline) as f:
        f.write('\n'.join(text))
    with open(path, encoding=encoding) as f:
        expected = list(f)
    with opened(path, encoding=encoding) as lines:
        order = list(range(len(expected)))[::-1]
        assert lines[order] == expected[::-1]


@pytest.mark.posix('the program is forked')
def test_after_fork(write):
    # In an interpreter of its own, which has no threads. Reads of both processes go
    # wrong if they share a position.
    code = '''if True:
        import multiprocessing, sys
        from chainer_fast import datasets
        lines = datasets.TextDataset(sys.argv[1])
        expected = ['%d\\n' % i for i in range(5000)]
        def read():
            assert lines[:] == expected
        process = multiprocessing.get_context('fork').Process(target=read)
        with lines._lock:  # as a thread of the parent might
            process.start()
        read()
        process.join(20)
        code = process.exitcode
        process.kill()
        sys.exit(code != 0)
    '''
    path = write('a', ''.join('%d\n' % i for i in range(5000)))
    subprocess.run([sys.executable, '-c', code, path], check=True, timeout=60)
