"""A training that is killed while it writes continues as if nothing had happened."""
import os
import random
import re

from tests.mn import jobs

_PROGRAM = os.path.join(os.path.dirname(__file__), 'training.py')
_STOP = 12


def _train(*folders, failing=-1, call=-1):
    return jobs.run(2, _PROGRAM, str(_STOP), str(failing), str(call), *folders,
                    timeout=60)


def _begins(ended):
    return [int(i) for i in re.findall(r'begins at (\d+)', ended.stdout)]


def test_killed_at_random_moments(tmp_path):
    seed = random.randrange(10**6)
    print('seed', seed)
    draw = random.Random(seed)
    whole, folder, previous = tmp_path / 'whole', tmp_path / 'killed', 0
    for failing in 0, 1:
        ended = _train(folder, failing=failing, call=draw.randrange(12, 50))
        assert ended.returncode != 0 and 'ends with' not in ended.stdout
        assert 'ended without notice' in ended.stderr
        first, second = _begins(ended)
        assert first == second >= previous
        previous = first
    ended = _train(folder, whole)
    assert ended.returncode == 0, ended.stderr
    begins = _begins(ended)
    assert begins.count(0) == 2 and begins.count(max(begins)) == 2
    assert max(begins) > previous
    bits = re.findall(r'ends with (\w+)', ended.stdout)
    assert len(bits) == 4 and len(set(bits)) == 1
    assert os.listdir(folder) == os.listdir(whole) == []
