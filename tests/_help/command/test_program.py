"""Programs see what they see under Python: SCRIPT, and -m MODULE."""
import json
import multiprocessing
import sys

import pytest

from tests.compat import processes

# What a program can see of the way it was started.
REPORT = '''
import json, sys
print(json.dumps([
    __name__, __file__, __package__, getattr(__spec__, 'name', None), sys.argv,
    sys.path[0], sys.modules['__main__'].__dict__ is globals()]))
'''


@pytest.fixture
def other(tmp_path):
    """Folder of another package called chainer, as the released one would be."""
    folder = tmp_path / 'other'
    (folder / 'chainer').mkdir(parents=True)
    (folder / 'chainer' / '__init__.py').write_text('__version__ = "the other"')
    return folder


@pytest.fixture
def script(tmp_path):
    def write(text, name='script.py'):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


def fast(*arguments, **options):
    return processes.run('-m', 'chainer_fast', *arguments, **options)


@pytest.mark.parametrize('arguments', [
    [], ['--epoch', '3', 'a b'], ['-m', 'x', '-h', '--', '-q']])
def test_script_sees_what_it_sees_under_python(script, arguments):
    path = script(REPORT)
    assert fast(path, *arguments) == processes.run(path, *arguments)


def test_script_by_a_relative_path_and_a_link(script, tmp_path):
    folder = tmp_path / 'real'
    folder.mkdir()
    (tmp_path / 'link.py').symlink_to(folder / 'script.py')
    (folder / 'script.py').write_text('import beside\n' + REPORT)
    (folder / 'beside.py').touch()
    assert fast('link.py', cwd=tmp_path) == processes.run('link.py', cwd=tmp_path)


@pytest.mark.parametrize('arguments', [
    ['-m', 'package.tool'], ['-mpackage.tool', '-x', '--yes', '-m', 'y'],
    ['-m', 'package', '-h']])
def test_module_sees_what_it_sees_under_python(tmp_path, arguments):
    folder = tmp_path / 'package'
    folder.mkdir()
    (folder / '__init__.py').touch()
    for name in ('tool.py', '__main__.py'):
        (folder / name).write_text(REPORT)
    assert fast(*arguments, cwd=tmp_path) == processes.run(*arguments, cwd=tmp_path)


@pytest.mark.parametrize('text, code', [
    ('pass', 0), ('import sys; sys.exit(3)', 3), ('raise SystemExit', 0),
    ('import sys; sys.exit("sorry")', 1), ('raise KeyError("gone")', 1)])
def test_exit_status(script, text, code):
    process = processes.start('-m', 'chainer_fast', script(text))
    assert process.returncode == code
    assert process.stdout == ''
    if code == 1:
        assert process.stderr.endswith(("sorry\n", "KeyError: 'gone'\n"))


@pytest.mark.skipif(sys.version_info < (3, 11), reason='errors take no notes')
@pytest.mark.parametrize('line, words', [
    ('F.relu(None, use_cudnn=False)', "using_config('use_cudnn', 'never')"),
    ('print "a"', '--legacy runs it'),
])
def test_errors_of_python_name_the_way_out(script, line, words):
    path = script('import chainer.functions as F\n' + line + '\n')
    process = processes.start('-m', 'chainer_fast', path)
    assert process.returncode == 1
    assert words in process.stderr.splitlines()[-1]


def test_legacy_script(script):
    """A training loop as Chainer's users wrote it."""
    text = fast(script('''
import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable, optimizers
import chainerx
import numpy as np

class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__(l1=L.Linear(2, 8), l2=L.Linear(8, 2))

    def __call__(self, x):
        return self.l2(F.tanh(self.l1(x)))

np.random.seed(0)
model = L.Classifier(Model())
optimizer = optimizers.Adam(alpha=.05)
optimizer.setup(model)
x = np.random.rand(64, 2).astype(np.float32)
t = (x[:, 0] > x[:, 1]).astype(np.int32)
for _ in range(60):
    optimizer.update(model, Variable(x), Variable(t))
print(float(model.accuracy.data), chainerx.is_available(), chainer.__name__)
'''))
    accuracy, chainerx, name = text.split()
    assert float(accuracy) > .9
    assert (chainerx, name) == ('True', 'chainer_fast')


def test_wins_over_another_chainer_inside_only(script, other):
    path = script('import chainer; print(chainer.__version__)')
    assert fast(path, path=[other]) == '7.8.1\n'
    assert processes.run(path, path=[other]) == 'the other\n'
    # Even when it is installed under site-packages, which come last.
    append = script('import sys; sys.path.append(%r); import chainer; '
                    'print(chainer.__version__)' % str(other), 'append.py')
    assert fast(append) == '7.8.1\n'


def test_programs_started_by_the_script(script, other):
    path = script('''
import os, subprocess, sys
command = 'import chainer, chainer.links, chainerx; print(chainer.__version__)'
subprocess.run([sys.executable, '-c', command], check=True)
command = 'import chainerx, chainer; print(chainerx.is_available())'
subprocess.run([sys.executable, '-c', command], check=True)
print(os.environ['PYTHONPATH'].split(os.pathsep)[1])
''')
    lines = fast(path, path=[other]).split()
    assert lines == ['7.8.1', 'True', str(other)]


@pytest.mark.parametrize('way', ['script', 'module'])
@pytest.mark.parametrize('method', multiprocessing.get_all_start_methods())
def test_worker_processes(script, other, method, way):
    path = script('''
import multiprocessing
import sys
import chainer

def work(link):
    import chainer.links as L
    import chainer_fast
    assert isinstance(link, L.Linear) and chainer is chainer_fast
    return type(link), link(chainer.Variable(link.xp.ones((1, 2), 'f'))).array

if __name__ == '__main__':
    link = chainer.links.Linear(2, 3)
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        cls, y = pool.apply(work, (link,))
    assert cls is chainer.links.Linear and y.shape == (1, 3)
    print(chainer.__version__)
''')
    arguments = [path] if way == 'script' else ['-m', 'script']
    options = {'path': [other], 'cwd': path.parent}
    assert fast(*arguments, method, **options) == '7.8.1\n'


def test_report_is_complete(script):
    """The comparison above is of what it is meant to be."""
    name, file, package, spec, argv, first, same = json.loads(
        processes.run(script(REPORT), 'x'))
    assert (name, package, spec) == ('__main__', None, None)
    assert argv[1:] == ['x'] and same
    assert first and file.startswith(first)
