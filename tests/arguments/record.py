"""Records what the released Chainer answers to the calls of `cases`.

    PYTHON_WITH_CHAINER -m tests.arguments.record

For each case and each argument that is varied: the names of exceptions, each with the
forms that raise it, and under ``other`` the forms that are taken for another value,
with a summary of the results. Every other form is taken for the value as it is given. A
letter stands for a form: `letter` has them.
"""

import json
import pathlib

import numpy as np

from tests.arguments import forms

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def letter(form, value):
    """Return the letter of a form of a value."""
    return 'gabcdefhijklmnopqrst'[forms.names(value).index(form)]


def summarize(outcome):
    """Return the shapes and, to four digits, the sums of what came of a call."""
    return [
        each if each is None or isinstance(each, str) else _sum(each)
        for each in outcome
    ]


def _sum(value):
    array = np.asarray(value)
    if array.dtype.kind not in 'biuf':
        return str(array.dtype)
    weights = np.cos(np.arange(array.size)).reshape(array.shape)
    with np.errstate(all='ignore'):
        total = np.nansum(array * weights)
    return '%s %.4g' % ('x'.join(map(str, array.shape)), total)


def answers(library, case):
    """Return what is recorded of a case."""
    found = {}
    given = None
    for key, form, outcome in library.outcomes(case):
        entry = found.setdefault(key, {})
        name = letter(form, case.varied[key])
        if isinstance(outcome, tuple):
            entry.setdefault(outcome[0], []).append(name)
        elif form == 'given':
            given = summarize(outcome)
        elif summarize(outcome) != given:
            entry.setdefault('other', {})[name] = summarize(outcome)
    for entry in found.values():
        for name, letters in entry.items():
            if name != 'other':
                entry[name] = ''.join(letters)
    return {'given': given, **found}


def main():
    from tests.arguments import calls, cases

    library = calls.Library('chainer')
    lines = [json.dumps(answers(library, case)) for case in cases.CASES]
    RECORDS.write_text('[\n%s\n]\n' % ',\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main()
