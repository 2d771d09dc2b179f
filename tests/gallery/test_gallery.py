"""The lessons of the gallery; the build of the pages runs all of them."""
import ast
import glob
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip('sklearn')
pytest.importorskip('matplotlib')

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, 'docs', 'gallery')
LESSONS = sorted(map(os.path.basename, glob.glob(os.path.join(FOLDER, '*.py'))))


def read(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return file.read()


def test_lessons_are_numbered():
    assert [re.match(r'plot_(\d\d)_\w+\.py$', name).group(1) for name in LESSONS] == [
        '%02d' % (i + 1) for i in range(11)]


@pytest.mark.parametrize('name', LESSONS)
def test_is_a_lesson(name):
    """It begins with a title, has text between the code, and stands alone."""
    source = read(name)
    tree = ast.parse(source)
    title, line, empty, *text = ast.get_docstring(tree).splitlines()
    assert line == '=' * len(title)
    assert empty == ''
    assert text
    assert source.count('\n# %%\n# ') >= 3
    assert source.count('plt.show()') >= 1
    imported = [alias.name for node in ast.walk(tree)
                if isinstance(node, ast.Import) for alias in node.names]
    assert not [module for module in imported if module.startswith('plot_')]
    assert not re.search(r'\bget_(mnist|cifar10|ptb_words)|fetch_|urllib', source)


@pytest.mark.parametrize(('name', 'printed'), [
    ('plot_07_function_node.py', 'both gradients are right'),
    ('plot_08_cuda_kernel.py', 'The gradients are right on @'),
])
def test_runs(name, printed, tmp_path):
    """The quickest ones, without a warning and without leaving a file."""
    path = os.pathsep.join(filter(None, [ROOT, os.environ.get('PYTHONPATH')]))
    process = subprocess.run(
        [sys.executable, '-W', 'error', '-W',
         'ignore:FigureCanvasAgg is non-interactive', os.path.join(FOLDER, name)],
        cwd=tmp_path, capture_output=True, text=True, env=dict(
            os.environ, PYTHONPATH=path, MPLBACKEND='Agg', OPENBLAS_NUM_THREADS='1'))
    assert process.returncode == 0, process.stderr
    assert re.search(printed, process.stdout)
    assert not os.listdir(tmp_path)
