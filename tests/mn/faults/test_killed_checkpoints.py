"""A training that is killed while it writes continues as if nothing had happened."""
import os
import random
import re

from tests.mn import jobs

_PROGRAM = os.path.join(os.path.dirname(__file__), 'training.py')
_STOP = 12


def _train(folder, failing=-1, call=-1):
    return jobs.run(2, _PROGRAM, str(folder), str(_STOP), str(failing), str(call),
                    timeout=60)


def _ends(ended):
    assert ended.returncode == 0, ended.stderr
    return sorted(re.findall(r'rank (\d) ends with (\w+)', ended.stdout))


def _begins(ended):
    return [int(i) for i in re.findall(r'begins at (\d+)', ended.stdout)]


def test_killed_at_random_moments(tmp_path):
    seed = random.randrange(10**6)
    print('seed', seed)
    draw = random.Random(seed)
    expected = _ends(_train(tmp_path / 'whole'))
    assert len(expected) == 2 and expected[0][1] == expected[1][1]
    assert os.listdir(tmp_path / 'whole') == []

    folder, previous = tmp_path / 'killed', 0
    for failing in 0, 1:
        ended = _train(folder, failing, draw.randrange(12, 50))
        assert ended.returncode != 0 and 'ends with' not in ended.stdout
        assert 'is gone without a farewell' in ended.stderr
        first, second = _begins(ended)
        assert first == second >= previous
        previous = first
    ended = _train(folder)
    first, second = _begins(ended)
    assert first == second > previous
    assert _ends(ended) == expected
    assert os.listdir(folder) == []
