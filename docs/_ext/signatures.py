"""Signatures with types, as users may write them.

Types are those of the source, by their public names. Where ``**kwargs`` is not
documented, it takes keyword-only arguments, and those of earlier versions in order to
refuse them: pages show the former, with their defaults.
"""
import ast
import inspect
import re
import textwrap
import typing

from reference import look_up, names_of_objects
from sphinx.util.inspect import stringify_signature

# Where modules import a name for type checkers alone.
UNBOUND = {'Device': 'chainer_fast.backend.Device'}


def written(annotation):
    """Return a type as a source would have it."""
    text = re.sub(r'\b(typing|collections\.abc)\.', '', str(annotation))
    return text.replace('NoneType', 'None')


class PublicNames(ast.NodeTransformer):
    """Replaces the names of a type by those that have pages."""

    def __init__(self, function, aliases):
        self.scope, self.aliases = function.__globals__, aliases

    def visit_Name(self, node):
        found = self.scope.get(node.id)
        if isinstance(found, typing.TypeVar):
            if isinstance(found.__bound__, typing.ForwardRef):
                return ast.Name('Self')
            found = found.__bound__ or typing.Any
            return ast.Name(written(found))
        public = names_of_objects().get(id(found), self.aliases.get(node.id))
        if public is None and typing.get_args(found):
            return ast.Name(written(found))     # a type without a page
        return ast.Name(public or node.id)

    def visit_Attribute(self, node):
        if ast.unparse(node.value) == 'types':
            return ast.Name(node.attr)
        return self.generic_visit(node)

    def visit_Constant(self, node):
        return ast.parse(node.value).body[0].value if isinstance(
            node.value, str) else node

    def type(self, annotation):
        if not isinstance(annotation, str):
            return inspect.Parameter.empty      # it has been evaluated
        return ast.unparse(self.visit(ast.parse(annotation, mode='eval')))


def options(function):
    """Yield names and defaults of the arguments that a function takes from kwargs."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and 'parse_kwargs' in ast.unparse(call.func):
            pairs = ast.unparse(ast.Tuple(call.args[1:], ast.Load()))
            yield from eval(pairs, function.__globals__)


def documented(function, text, aliases):
    """Return the signature of a function as its docstring has it."""
    signature = inspect.signature(function)
    parameters = [*signature.parameters.values()]
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD and (
            '**' + parameters[-1].name not in text):
        parameters[-1:] = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in options(function)
            if re.search(r'^ *%s : ' % name, text, re.M)]
    types = PublicNames(function, aliases)
    return signature.replace(
        parameters=[parameter.replace(annotation=types.type(parameter.annotation))
                    for parameter in parameters],
        return_annotation=types.type(signature.return_annotation))


def write(app, what, name, obj, options, signature, returned):
    """Rewrite the signature of a function, a method or a class."""
    function = obj.__init__ if what == 'class' else inspect.unwrap(obj)
    function = getattr(function, '__func__', function)
    if signature is None or not inspect.isfunction(function) or (
            not function.__module__.startswith('chainer_fast.')):
        return None
    found = documented(
        function, obj.__doc__ or '', UNBOUND | app.config.numpydoc_xref_aliases)
    if what == 'class' or what == 'method' and not isinstance(
            inspect.getattr_static(look_up(name.rpartition('.')[0]), function.__name__,
                                   None), staticmethod):
        found = found.replace(parameters=[*found.parameters.values()][1:])
    arguments, _, result = stringify_signature(found).rpartition(' -> ')
    return (arguments, result) if arguments and what != 'class' else (
        arguments or result, None)


def setup(app):
    app.connect('autodoc-process-signature', write)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
