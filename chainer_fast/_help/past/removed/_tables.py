"""Entries of names that were renamed."""
from chainer_fast._help.past.removed.entry import Removed


def renamed(last, part, names, remark=''):
    """Return entries from ``{old name: today's name}``."""
    return tuple(Removed(old, last, 'write %s' % new, part, remark)
                 for old, new in names.items())


def below(prefix, names, new_prefix=None):
    """Return ``{old name: new name}`` from words such as ``NaN=nan`` and ``pad``."""
    pairs = (word.partition('=')[::2] for word in names.split())
    return {prefix + old: (prefix if new_prefix is None else new_prefix) + (new or old)
            for old, new in pairs}
