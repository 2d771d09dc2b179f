import collections
import re

import pytest

from tests._help.mistakes import case, table

PRELUDE = case.PRELUDE.format(chainer='chainer_fast')
RECORDS = table.recorded()
ANSWERS = {library: RECORDS[library]['answers'] for library in ('chainer', 'torch')}


@pytest.mark.parametrize('mistake', table.CASES, ids=lambda mistake: mistake.name)
class TestMistakes:
    def test_answer(self, mistake, flags_restored):
        answer = case.ask(PRELUDE, mistake.code)
        missing = [words for words in mistake.says if words not in answer.text]
        assert not missing, answer.text
        theirs = mistake.type or ANSWERS['chainer'][mistake.name][0]
        # Programs that catch Chainer's exception go on; where there was none, there is
        # at most a warning.
        assert (theirs or 'UserWarning') in answer.types

    def test_grades(self, mistake):
        chainer, torch, ours = mistake.grades
        assert {chainer, torch, ours} <= set(case.GRADES)
        assert (chainer == 'silent') == (not ANSWERS['chainer'][mistake.name][0])
        if mistake.torch is not None:
            assert (torch == 'silent') == (not ANSWERS['torch'][mistake.name][0])
        assert ours != 'silent'
        assert case.GRADES.index(ours) >= case.GRADES.index(chainer)


def test_table_is_complete():
    assert len(table.CASES) >= 160
    counts = collections.Counter(mistake.name for mistake in table.CASES)
    assert set(counts.values()) == {1}
    assert ANSWERS['chainer'].keys() == counts.keys()
    assert ANSWERS['torch'].keys() == {
        mistake.name for mistake in table.CASES if mistake.torch is not None}
    assert re.fullmatch(r'7\.8\.1', RECORDS['chainer']['versions']['chainer'])
