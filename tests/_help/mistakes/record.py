"""Records what Chainer or PyTorch says of the mistakes.

    PYTHON_WITH_CHAINER -m tests._help.mistakes.record chainer
    PYTHON_WITH_TORCH -m tests._help.mistakes.record torch
"""
import importlib
import json
import sys

from tests._help.mistakes import case, table


def main(library):
    prelude = case.TORCH_PRELUDE if library == 'torch' else (
        case.PRELUDE.format(chainer=library))
    answers = {}
    for each in table.CASES:
        code = each.torch if library == 'torch' else each.code
        if code is not None:
            answer = case.ask(prelude, code)
            answers[each.name] = [answer.type or '', answer.text]
    versions = {
        name: importlib.import_module(name).__version__ for name in (library, 'numpy')}
    versions['python'] = '.'.join(map(str, sys.version_info[:3]))
    records = table.recorded()
    records[library] = {'versions': versions, 'answers': answers}
    table.RECORDS.write_text(
        json.dumps(records, indent=1, sort_keys=True) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1])
