#!/usr/bin/env python3
"""Compare the public names of chainermn and onnx_chainer with those of the release.

``names_chainermn.json`` and ``names_onnx_chainer.json`` in this folder list the
public names of the packages that came with Chainer 7.8.1, with their parameters,
members and plain values, read off the installed release by ``--record``. This program
looks each of them up in chainer_fast.
"""
import argparse
import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ('chainermn', 'onnx_chainer')
PLAIN = (bool, int, float, str)


def is_public(name):
    return not any(part.startswith('_') for part in name.split('.'))


def module_names(package):
    """Return the names of a package and of its public modules."""
    found = pkgutil.walk_packages(
        package.__path__, package.__name__ + '.', onerror=lambda name: None)
    return [package.__name__] + sorted(m.name for m in found if is_public(m.name))


def signature(obj):
    """Return the parameters as text, without annotations; None if they are not known.

    Those of a decorator's wrapper are not known. A default without a readable form,
    such as a function, is three dots.
    """
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return None
    empty = inspect.Parameter.empty
    parameters = [p.replace(annotation=empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=parameters, return_annotation=empty))
    if text == '(*args, **kwargs)':
        return None
    return re.sub(r'<(?!class)[^<>]*>', '...', text)


def describe(obj):
    """Return what is compared of a class, a function or a value."""
    if inspect.isclass(obj):
        members = {
            name: signature(getattr(obj, name)) if inspect.isroutine(
                getattr(obj, name)) else 'attribute'
            for name in sorted(vars(obj)) if is_public(name)}
        return {'kind': 'class', 'signature': signature(obj), 'members': members}
    if callable(obj):
        return {'kind': 'function', 'signature': signature(obj)}
    if isinstance(obj, PLAIN):
        return {'kind': 'value', 'value': repr(obj)}
    return {'kind': 'value'}


def is_from_elsewhere(key, obj, module):
    """Return whether a module has only imported the object.

    Names that a package imports from its own modules are part of its interface.
    """
    top = module.__name__.split('.')[0]
    home = getattr(obj, '__module__', None)
    if home is not None:
        return home.split('.')[0] != top if hasattr(module, '__path__') else (
            home != module.__name__)
    return not isinstance(obj, PLAIN) and any(
        vars(other).get(key) is obj for name, other in list(sys.modules.items())
        if name.split('.')[0] != top and hasattr(other, '__dict__'))


def record(name):
    """Return the public names of an installed package, each with its description."""
    names = {}
    for module_name in module_names(importlib.import_module(name)):
        module = importlib.import_module(module_name)
        names[module_name] = {'kind': 'module'}
        for key, obj in sorted(vars(module).items()):
            if (is_public(key) and not inspect.ismodule(obj)
                    and not is_from_elsewhere(key, obj, module)):
                names[module_name + '.' + key] = describe(obj)
    return names


def look_up(name):
    """Return the object of this package for a name of the release."""
    parts = name.split('.')
    for cut in range(len(parts), 0, -1):
        try:
            obj = importlib.import_module('.'.join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            obj = getattr(obj, part)
        return obj
    raise AttributeError(name)


def differences(name, fact):
    """Yield what differs here from the description of a name."""
    try:
        obj = look_up(name)
    except AttributeError:
        yield '%s is missing' % name
        return
    if fact['kind'] == 'module':
        return
    here = describe(obj)
    for key in 'signature', 'value':
        if fact.get(key) != here.get(key) and fact.get(key) is not None:
            yield '%s: %s is %s, here %s' % (name, key, fact[key], here.get(key))
    for member, there in fact.get('members', {}).items():
        if not hasattr(obj, member):
            yield '%s.%s is missing' % (name, member)
        elif there is not None and there != 'attribute':
            mine = signature(getattr(obj, member))
            if mine != there:
                yield '%s.%s: signature is %s, here %s' % (name, member, there, mine)


def compare(package):
    """Print missing and different names; return whether all names exist."""
    with open(os.path.join(HERE, 'names_%s.json' % package)) as f:
        facts = json.load(f)
    found = [line for name in sorted(facts) for line in differences(name, facts[name])]
    missing = [line for line in found if line.endswith(' is missing')]
    members = sum(len(fact.get('members', ())) for fact in facts.values())
    print('%s: %d names and %d members; %d missing, %d differ'
          % (package, len(facts), members, len(missing), len(found) - len(missing)))
    for line in found:
        print('  ' + line)
    return not missing


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('packages', nargs='*', metavar='PACKAGE',
                        help='chainermn, onnx_chainer; both by default')
    parser.add_argument(
        '--record', action='store_true',
        help='print the names of the installed package, as JSON')
    args = parser.parse_args(argv)
    packages = args.packages or PACKAGES
    if args.record:
        # Folders beside this file have the same names.
        sys.path.remove(HERE)
        for package in packages:
            json.dump(record(package), sys.stdout, indent=1, sort_keys=True)
            print()
        return 0
    from chainer_fast import alias
    alias.install()
    return 0 if all([compare(package) for package in packages]) else 1


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    sys.exit(main())
