"""The programs of docs/distributed.md run."""
import os
import re

from tests.mn import jobs

_FILE = os.path.join(os.path.dirname(__file__), '..', '..', 'docs', 'distributed.md')


def test_first_program(tmp_path):
    with open(_FILE, encoding='utf-8') as file:
        text = file.read()
    program = re.search(r'```python\n(import numpy.*?)```', text, re.DOTALL)[1]
    # Weights and orders are drawn without a seed.
    (tmp_path / 'first.py').write_text('import numpy\nnumpy.random.seed(0)\n' + program)
    ended = jobs.run(2, '-m', 'chainer_fast', 'first.py', cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, '')
    assert sorted(re.findall('rank . of .', ended.stdout)) == [
        'rank 0 of 2', 'rank 1 of 2']
    accuracies = re.findall(r'\d+ +[.\d]+ +([.\d]+) *$', ended.stdout, re.M)
    assert len(accuracies) == 5, ended.stdout
    assert float(accuracies[4]) > max(float(accuracies[0]), .3)
    assert sorted(os.listdir(tmp_path / 'result')) == [
        'log', 'snapshot_iter_100.0', 'snapshot_iter_100.1', 'snapshot_iter_80.0',
        'snapshot_iter_80.1']
