"""Print ``names.txt``, from what ``make_api.py`` has found in two versions of CuPy.

``make test-gpu``, which has both versions, compares the two. The file is kept all the
same: ``make test`` would have to download 250 MB of CuPy, which there is not for every
system. After a change of the stand-in::

    make build/names.txt && cp build/names.txt tests/doubles/host_cupy/

A member that the stand-in has is listed with its parameters, a universal function with
its types, all others by their names alone. What nothing is made of is left out, such as
the modules that a module imports.
"""
import json
import sys
import textwrap

import scipy.special

from tests.doubles import host_cupy
from tests.doubles.host_cupy import registry, surface

HEAD = '''\
# What CuPy 13.6 and 14.2 have, of use to the stand-in; make_names.py writes this file.
#
# A name alone is all that is known; e.g. "all(a, axis=)" are parameters, of which "="
# may be left out; before a colon are the types of universal functions, in the order of
# CuPy. A line with a number is true of this version alone.'''


def _fill(words, first=''):
    return textwrap.fill(
        first + ' '.join(words), 88, subsequent_indent='    ', break_long_words=False,
        break_on_hyphens=False)


def _parameters(entry):
    return '' if entry in (None, '...') else '(%s)' % entry


def _texts_of_module(name, members):
    """Return what is said of each member: its parameters, types, or an empty text."""
    own = registry.exports[name]
    out = {}
    for member, entry in members.items():
        if isinstance(entry, dict):
            out[member] = ' '.join(entry['types'])
        elif member in own or name == 'cupyx.scipy.special' and hasattr(
                scipy.special, member):
            out[member] = _parameters(entry)
        elif entry is not None or surface.of_numpy(name, member) is not None:
            out[member] = ''
    return out


def _texts_of_class(cls, members):
    return {member: _parameters(entry) if member in vars(cls) else ''
            for member, entry in members.items() if not member.startswith('_')}


def _lines(texts, tag=''):
    """Return the lines of a section, or those of one version with its number."""
    by_text = {}
    for name, text in sorted(texts.items()):
        by_text.setdefault(text, []).append(name)
    names = by_text.pop('', ())
    out = [_fill(names, tag)] if names else []
    out += [_fill([types + ':', *names], tag) for types, names in by_text.items()
            if '->' in types]
    return out + [_fill([name + text], tag) for name, text in sorted(texts.items())
                  if text.startswith('(')]


def sections(apis):
    """Return the lines of the file, for ``{version: content of an API file}``."""
    first, second = apis
    out = []
    for kind, texts_of in ('modules', _texts_of_module), ('classes', _texts_of_class):
        for name in sorted({*apis[first][kind], *apis[second][kind]}):
            key = name if kind == 'modules' else host_cupy.CLASSES[name]
            a, b = [texts_of(key, api[kind].get(name, {})) for api in apis.values()]
            both = dict(a.items() & b.items())
            out.append('\n[%s]' % name)
            out += _lines(both)
            for version, texts in (first, a), (second, b):
                out += _lines(dict(texts.items() - both.items()), version + ' ')
    return out


def main():
    """Print the file."""
    apis = {}
    for path in sys.argv[1:]:
        with open(path) as file:
            api = json.load(file)
        apis[api['version'].rpartition('.')[0]] = api
    print(HEAD, *sections(apis), sep='\n')


if __name__ == '__main__':
    main()
