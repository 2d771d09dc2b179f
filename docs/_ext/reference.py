"""The pages of the reference, one for each name, and links to them.

The lists in ``reference/*.rst`` determine which names have a page. Docstrings refer to
names as they are defined in modules, and to private base classes; here both are linked
to the names that users import.
"""
import functools
import importlib
import inspect
import pathlib
import re
import typing

from docutils import nodes
from sphinx import addnodes
from sphinx.ext.autodoc.mock import mock
from sphinx.ext.autosummary import autosummary_toc
from sphinx.util import logging

DOCS = pathlib.Path(__file__).parents[1]
COMPAT = DOCS.parent / 'compat'
PAGES = 'reference/generated/'
ALIASES = {'chainer': 'chainer_fast', 'chainermn': 'chainer_fast.mn',
           'onnx_chainer': 'chainer_fast.onnx'}
# Every class and function of these has a page.
COMPLETE = (
    'functions', 'links', 'optimizers', 'optimizer_hooks', 'initializers',
    'distributions', 'iterators', 'datasets', 'dataset', 'serializers',
    'training.extensions', 'training.triggers', 'training.updaters', 'function_hooks',
    'link_hooks', 'mn')
MEMBERS_IN_TABLES = ('get_example', '__len__', 'serialize')
# Types of arguments, which have entries on this page, and no pages.
TYPES = 'reference/types'
TYPE = re.compile(r'^\.\. data:: ([\w.]+)$', re.M)
ENTRY = re.compile(r'^   ([a-z]\w*(?:\.\w+)*|[A-Z]\w*)$', re.M)
TITLE = re.compile(r'(?<=<h1>)[\w.]+')
# The longest part of a name that fits on the screen of a telephone.
LONG_PART = 22
logger = logging.getLogger(__name__)


@functools.cache
def groups():
    """Return, for each name with a separate page, the page that lists it."""
    return {
        'chainer_fast.' + name: 'reference/' + path.stem
        for path in sorted((DOCS / 'reference').glob('*.rst'))
        if path.stem != 'index'
        for name in ENTRY.findall(path.read_text(encoding='utf-8'))}


@functools.cache
def types():
    """Return the names of types of arguments, with the page that describes them."""
    text = (DOCS / (TYPES + '.rst')).read_text(encoding='utf-8')
    return {'chainer_fast.' + name: TYPES for name in TYPE.findall(text)}


def expected():
    """Return the names that Chainer's manual documents, as they are called here."""
    names = (COMPAT / 'names_manual.txt').read_text().split()
    return ['chainer_fast' + name.removeprefix('chainer') for name in names]


def check(app, env):
    documented = env.get_domain('py').objects
    for name in {*expected(), *groups(), *types()}:
        if name not in documented:
            logger.warning('%s has no page', name)
    for package in COMPLETE:
        module = importlib.import_module('chainer_fast.' + package)
        for name, obj in vars(module).items():
            # Names that are only used there are defined elsewhere.
            own = getattr(obj, '__module__', '').startswith(module.__name__)
            if own and name[0] != '_' and id(obj) not in names_of_objects():
                logger.warning('%s.%s is not in the reference', package, name)


def look_up(name):
    """Return the object that a dotted name refers to; None if it does not exist."""
    parts = name.split('.')
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module('.'.join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = inspect.getattr_static(found, part, None) if inspect.isclass(
                found) else getattr(found, part, None)
        return found
    return None


@functools.cache
def names_of_objects():
    """Return the public name of each class, function and type, by its identity."""
    with mock(['torch']):
        objects = {name: look_up(name) for name in {**groups(), **types()}}
    found = {}
    for name, obj in objects.items():
        # Types without a declaration are one object.
        if obj is not None and obj is not typing.Any:
            found.setdefault(id(obj), name)
    return found


def public_bases(app, name, obj, options, bases):
    """Replace base classes without a page by theirs."""
    def expanded(classes):
        for cls in classes:
            cls = typing.get_origin(cls) or cls
            if cls is typing.Generic:
                continue
            if cls.__module__.partition('.')[0] != 'chainer_fast' or (
                    id(cls) in names_of_objects()):
                yield cls
            else:
                yield from expanded(cls.__bases__)

    # One of several parents may derive from another one.
    found = list(dict.fromkeys(expanded(bases)))
    bases[:] = [cls for cls in found if not any(
        other is not cls and issubclass(other, cls) for other in found)]


def on_other_pages(cls):
    """Return the members of a class that pages of its bases have, with commas."""
    public = [base for base in cls.__mro__[1:] if id(base) in names_of_objects()
              or base.__module__.partition('.')[0] != 'chainer_fast']
    own = {member for base in cls.__mro__ if base is cls or not any(
        issubclass(parent, base) for parent in public) for member in vars(base)}
    inherited = {member for base in public for member in dir(base)}
    return ', '.join(sorted(inherited - own))


def skip_default(app, what, name, obj, skip, options):
    """Leave out calls that have the docstring of ``object`` alone."""
    return True if getattr(obj, '__doc__', None) == type.__call__.__doc__ else None


def candidates(target, page, module, cls):
    """Yield names that a docstring may mean by a target."""
    for alias, package in ALIASES.items():
        if target.partition('.')[0] == alias:
            target = package + target.removeprefix(alias)
    if cls:
        yield '%s.%s.%s' % (module, cls, target)
    # The page of a name has the module that users import it from, and not the file.
    home = getattr(look_up(page.removeprefix(PAGES)), '__module__', None)
    for package in filter(None, (module, home)):
        while package:
            yield '%s.%s' % (package, target)
            package = package.rpartition('.')[0]
    yield target
    yield 'builtins.' + target


def names_with_pages(name, found):
    """Yield the names by which an object, or a member of a class, may have a page."""
    yield names_of_objects().get(id(found), name)
    owner, _, member = name.rpartition('.')
    cls = owner and look_up(owner)
    if inspect.isclass(cls):
        for base in cls.__mro__:
            yield '%s.%s' % (names_of_objects().get(id(base)), member)


def in_signature(node):
    """Whether a node is in the signature of a function or class."""
    while node is not None and not isinstance(node, addnodes.desc_signature):
        node = node.parent
    return node is not None


def public_reference(app, env, node, contnode):
    """Resolve a reference by the object that it means.

    What exists but has no page is no link, nor is such a type in a signature. The lines
    of tables come from docstrings of many modules, and are matched by the last part of
    the name.
    """
    if node.get('refdomain') != 'py':
        return None
    domain, target = env.get_domain('py'), node['reftarget']
    exists = in_signature(node)
    for name in candidates(
            target, node['refdoc'], node.get('py:module'), node.get('py:class')):
        found = look_up(name)
        exists = exists or found is not None
        if found is not None:
            for public in names_with_pages(name, found):
                if public in domain.objects:
                    return domain.resolve_xref(
                        env, node['refdoc'], app.builder, 'obj', public, node, contnode)
    matches = [name for name in {**groups(), **types()}
               if name.endswith('.' + target)]
    if len(matches) == 1:
        return domain.resolve_xref(
            env, node['refdoc'], app.builder, 'obj', matches[0], node, contnode)
    if node['refdoc'] in groups().values():
        exists = exists or bool(matches) or target in MEMBERS_IN_TABLES
    return contnode if exists else None


def shorten(app, doctree):
    """Show names as the titles of their pages do, without the name of the package."""
    for xref in doctree.findall(addnodes.pending_xref):
        for text in list(xref.findall(nodes.Text)):
            short = text.removeprefix('chainer_fast.')
            text.parent.replace(text, nodes.Text(short))


def drop_tree(app, doctree):
    """Keep single names out of the tree of pages, which every page shows."""
    for node in list(doctree.findall(autosummary_toc)):
        node.parent.remove(node)


def link_to_group(app, pagename, templatename, context, doctree):
    """Begin the page of a name with a link to the page that lists it."""
    group = groups().get(pagename.removeprefix(PAGES)) or groups().get(
        IN_OTHER_FILES.get(pagename.removeprefix(PAGES)))
    if group and pagename.startswith(PAGES):
        title = app.env.titles[group].astext()
        context['body'] = '<p class="group"><a href="%s">%s</a></p>\n%s' % (
            app.builder.get_relative_uri(pagename, group), title,
            TITLE.sub(with_breaks, context['body'], count=1))


def with_breaks(match):
    """Let a title break after a dot, and a long part of it after an underscore."""
    parts = match[0].split('.')
    return '.<wbr>'.join([
        part if len(part) <= LONG_PART else part.replace('_', '_<wbr>')
        for part in parts])


IN_OTHER_FILES = {}


def read_settings(app, config):
    IN_OTHER_FILES.update(
        (file, name) for name, file in config.autosummary_filename_map.items())
    classes = {name: look_up(name) for name in groups()}
    config.autosummary_context['on_other_pages'] = {
        name: on_other_pages(cls) for name, cls in classes.items()
        if inspect.isclass(cls)}


def setup(app):
    app.connect('config-inited', read_settings)
    app.connect('autodoc-process-bases', public_bases)
    app.connect('doctree-read', drop_tree, priority=1)
    app.connect('doctree-read', shorten)
    app.connect('autodoc-skip-member', skip_default)
    app.connect('missing-reference', public_reference)
    app.connect('env-check-consistency', check)
    app.connect('html-page-context', link_to_group)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
