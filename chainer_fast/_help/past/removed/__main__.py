"""Print the table of all entries, docs/legacy-table.md."""
import importlib
import sys

from chainer_fast._help.past import removed

_HEAD = '''\
# What is gone

All {count} names, arguments and idioms that programs for older versions use and that
stopped working; {adapted} of them run in [legacy mode](legacy.md). This page is printed
by `python -m chainer_fast._help.past.removed`.
'''


def _row(entry):
    state = 'adapted (`%s`)' % entry.part if entry.part else 'not adapted'
    if entry.remark:
        state += ': ' + entry.remark
    what = entry.what if ' ' in entry.what else '`%s`' % entry.what
    cells = (what, entry.last, entry.instead, state)
    return '| %s |' % ' | '.join(cell.replace('|', r'\|') for cell in cells)


def table():
    """Return the page as text in Markdown: a table for each family."""
    entries = removed.entries().values()
    lines = [_HEAD.format(
        count=len(entries), adapted=sum(bool(entry.part) for entry in entries))]
    for family in removed.FAMILIES:
        module = importlib.import_module('%s.%s' % (removed.__name__, family))
        lines += ['## ' + (module.__doc__ or '').partition('\n')[0].rstrip('.'), '',
                  '| what | last in | instead | state |', '| --- | --- | --- | --- |']
        lines += map(_row, sorted(module.ENTRIES))
        lines.append('')
    return '\n'.join(lines)


if __name__ == '__main__':
    sys.stdout.write(table())
