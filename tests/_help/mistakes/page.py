"""Prints the table of mistakes, and our answers, for a page of the documentation."""
import textwrap

from chainer_fast._help import mistakes
from tests._help.mistakes import case, table


def lines():
    """Yield the lines, in Markdown."""
    prelude = case.PRELUDE.format(chainer='chainer_fast')
    for title, cases in table.PARTS.items():
        yield '## ' + title
        yield ''
        yield '| mistake | Chainer | PyTorch | chainer_fast |'
        yield '| --- | --- | --- | --- |'
        for each in cases:
            chainer, torch, ours = each.grades
            yield '| %s | %s | %s | %s |' % (
                each.name, chainer, '' if each.torch is None else torch, ours)
        yield ''
        for each in cases:
            mistakes._warned.clear()
            answer = case.ask(prelude, each.code)
            yield '### ' + each.name[0].upper() + each.name[1:]
            yield ''
            yield '```python'
            yield textwrap.dedent(each.code).strip()
            yield '```'
            yield ''
            yield '```text'
            yield '%s: %s' % (answer.type, answer.text)
            yield '```'
            yield ''


if __name__ == '__main__':
    print('\n'.join(lines()))
