"""Records what the released Chainer makes of plain arrays of many types.

    PYTHON_WITH_CHAINER -m tests.functions.plain_arrays.record

Functions whose results come from SciPy are left out where it has no such function, as
are the calls that Chainer refuses: these may be taken.
"""
import json
import pathlib
import sys

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def read():
    """Return the recorded dtypes of results by the names of calls."""
    records = json.loads(RECORDS.read_text(encoding='utf-8'))
    return {'%s|%s' % (what, kind): dtypes
            for what, outcomes in records.items()
            for dtypes, kinds in outcomes.items() for kind in kinds}


def main():
    """Write a line for each function, place and form: types by the results' dtypes."""
    import chainer
    sys.modules.update({
        'chainer_fast' + name[len('chainer'):]: module
        for name, module in list(sys.modules.items())
        if name.partition('.')[0] == 'chainer'})
    from tests.functions.plain_arrays import calls
    records = {}
    for name in calls.names():
        what, _, kind = name.rpartition('|')
        outcome = calls.outcome(name)
        if not outcome.endswith('Error') and outcome != 'InvalidType':
            records.setdefault(what, {}).setdefault(outcome, []).append(kind)
    lines = ['%s:%s' % (json.dumps(what), json.dumps(outcomes, separators=(',', ':')))
             for what, outcomes in records.items()]
    RECORDS.write_text('{%s}\n' % ',\n'.join(lines), encoding='utf-8')
    assert chainer


if __name__ == '__main__':
    main()
