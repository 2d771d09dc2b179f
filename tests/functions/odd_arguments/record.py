"""Records what the released Chainer makes of odd arguments.

    PYTHON_WITH_CHAINER -m tests.functions.odd_arguments.record
"""
import importlib
import json
import pathlib
import sys

from tests.functions.odd_arguments import calls

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def read():
    """Return the recorded outcomes of calls by their names."""
    records = json.loads(RECORDS.read_text(encoding='utf-8'))
    return {'%s=%s' % (what, value): outcome
            for what, outcomes in records.items()
            for outcome, values in outcomes for value in values}


def main(library, path):
    """Write a line for each argument: outcomes, and the values that lead to each."""
    chainer = importlib.import_module(library)
    records = {}
    for name in calls.names(chainer):
        what, _, value = name.partition('=')
        outcome = json.loads(json.dumps(calls.outcome(chainer, name)))
        for each, values in records.setdefault(what, []):
            if repr(each) == repr(outcome):
                values.append(value)
                break
        else:
            records[what].append([outcome, [value]])
    lines = ['%s:%s' % (json.dumps(what), json.dumps(outcomes, separators=(',', ':')))
             for what, outcomes in records.items()]
    pathlib.Path(path).write_text('{%s}\n' % ',\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:] or ('chainer', RECORDS))
