"""Finds what is gone in the syntax tree of a source."""
import ast
import inspect

from chainer_fast._check import guards, idioms, packages
from chainer_fast._check.entries import entries
from chainer_fast._check.finding import Finding
from chainer_fast._check.inference import CLASS, NAME, OBJECT, OWN, Inference
from chainer_fast._check.old_calls import POSITIONS
from chainer_fast._check.scopes import SCOPES, ClassInfo

# Members that nothing else has, so that any object of a program that imports chainer
# may be taken for the one that had them; and those that are taken on an optimizer only.
_UNMISTAKABLE = {
    'zero_grads': 'chainer.Optimizer', 'accumulate_grads': 'chainer.Optimizer',
    'compute_grads_norm': 'chainer.Optimizer',
    'collect_parameters': 'chainer.FunctionSet',
    'copy_parameters_from': 'chainer.FunctionSet',
    'add_uninitialized_param': 'chainer.Link',
    'has_uninitialized_params': 'chainer.Link', 'volatile': 'chainer.Variable'}
_OF_ANYBODY = {
    **dict.fromkeys(('iteritems', 'iterkeys', 'itervalues', 'viewitems', 'viewkeys',
                     'viewvalues', 'has_key'), 'dict'),
    **dict.fromkeys(('func_name', 'func_code', 'func_defaults', 'func_globals',
                     'func_dict', 'func_doc', 'func_closure'), 'function'),
    **dict.fromkeys(('im_func', 'im_self'), 'method'), 'as_matrix': 'pandas.DataFrame',
    'itemset': 'numpy.ndarray', 'newbyteorder': 'numpy.ndarray'}
_OF_OPTIMIZERS = {
    'clip_grads': 'chainer.Optimizer', 'weight_decay': 'chainer.Optimizer'}


class Checker:
    """Reads one module.

    Parameters
    ----------
    tree : ast.Module
    written_for : collection of str
        Versions of Chainer whose meanings the program counts on.
    is_python2 : bool
        Whether the program is one of Python 2.

    Attributes
    ----------
    found : list of tuple
        Findings, each with its node of the tree and its scope.
    """

    def __init__(self, tree, written_for=(), is_python2=False):
        self.written_for = written_for
        self.is_python2 = is_python2
        self.inference = Inference(tree)
        self.scopes = self.inference.scopes
        self.found = []     # (finding, node, scope)
        self._scope = None
        self._reported = set()
        self._guards = 0
        self._has_chainer = any(
            isinstance(node, (ast.Import, ast.ImportFrom)) and any(
                name.partition('.')[0] in ('chainer', 'chainer_fast')
                for name in (getattr(node, 'module', None) or '',
                             *(alias.name for alias in node.names)))
            for node in ast.walk(tree))
        self._visit_all(tree.body, self.scopes[tree])

    def report(self, node, entry=None, what='', instead='', argument='', position=-1):
        """Add a finding at an expression, of an entry or of a name without one."""
        if self._guards:
            return
        what = entry.what if entry else what
        key = (node.lineno, node.col_offset, node.end_lineno, what)
        if key not in self._reported:
            self._reported.add(key)
            self.found.append((Finding(
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                what, entry.instead if entry else instead,
                entry.last if entry else '', argument, position), node, self._scope))

    # Walking the tree.

    def _visit_all(self, nodes, scope):
        for node in nodes:
            self._visit(node, scope)

    def _visit(self, node, scope):
        self._scope = scope
        check = getattr(self, '_check_' + type(node).__name__, None)
        if check is not None:
            check(node, scope)
        idioms.check(self, node, scope)
        if isinstance(node, (ast.Try, ast.If, ast.With)):
            self._visit_guarded(node, scope)
        elif isinstance(node, SCOPES):
            self._visit_scope(node, scope)
        else:
            self._visit_all(ast.iter_child_nodes(node), scope)

    def _visit_guarded(self, node, scope):
        if isinstance(node, ast.Try):
            is_guard, inside = guards.catches(node), [*node.body, *node.handlers]
            outside = [*node.orelse, *node.finalbody]
        elif isinstance(node, ast.If):
            is_guard, inside = guards.asks(node.test), [*node.body, *node.orelse]
            outside = [node.test]
        else:
            is_guard, inside, outside = guards.expects_error(node), node.body, node.items
        self._visit_all(outside, scope)
        self._guards += is_guard
        self._visit_all(inside, scope)
        self._guards -= is_guard

    def _visit_scope(self, node, scope):
        inner = self.scopes[node]
        if isinstance(node, ast.ClassDef):
            self._visit_all((*node.decorator_list, *node.bases, *node.keywords), scope)
            self._visit_all(node.body, inner)
        elif isinstance(node, ast.Lambda):
            self._visit(node.args, scope)
            self._visit(node.body, inner)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._visit_all((*node.decorator_list, node.args), scope)
            self._visit_all(node.body, inner)
        else:
            self._visit_all(ast.iter_child_nodes(node), inner)

    # Names.

    def _name(self, node, full):
        """Report a full name if it is gone, or if the installed package lacks it."""
        entry = entries().name(full)
        if entry is not None:
            self.report(node, entry)
            return True
        if packages.find(full) is packages.MISSING:
            self.report(node, what=full, instead='%s has no such name' % (
                packages.ROOTS[full.partition('.')[0]].partition('.')[0]))
            return True
        return False

    def _module(self, node, name):
        """Report the first part of a module's name that is gone."""
        parts = packages.usual(name).split('.')
        return any(self._name(node, '.'.join(parts[:length]))
                   for length in range(1, len(parts) + 1))

    def _check_Import(self, node, scope):
        for alias in node.names:
            self._module(alias, alias.name)

    def _check_ImportFrom(self, node, scope):
        if not node.level and not self._module(node, node.module):
            for alias in node.names:
                if alias.name != '*':
                    self._name(alias, packages.usual(
                        '%s.%s' % (node.module, alias.name)))

    def _check_Name(self, node, scope):
        """Names that came with a star have no import of their own."""
        if isinstance(node.ctx, ast.Load) and scope.lookup(node.id) is None:
            for full in self.inference.names(node, scope):
                self._name(node, full)

    def _check_Attribute(self, node, scope):
        values = self.inference.values(node.value, scope)
        if not values:
            self._unmistakable(node)
        names = [value.what for value in values if value.kind == NAME]
        for name in names:
            full = packages.usual('%s.%s' % (name, node.attr))
            entry = None if entries().name(name) else entries().name(full)
            if entry is not None:
                self.report(node, entry)
                return
        if isinstance(node.ctx, ast.Load) and names and self.inference.is_imported(
                node, scope) and all(
                packages.find(name) is not packages.MISSING
                and packages.find('%s.%s' % (name, node.attr)) is packages.MISSING
                and not entries().name(name) for name in names):
            self._name(node, packages.usual('%s.%s' % (names[0], node.attr)))
        for value in values:
            entry = self._member(value, node.attr)
            if entry is not None:
                self.report(node, entry)
                return

    def _member(self, value, name):
        """Return the entry of a member of an object, or None."""
        if value.kind == OBJECT:
            return entries().method(value.what, name)
        if value.kind in (OWN, CLASS):
            for klass in self.inference.family(value.what):
                if isinstance(klass, ClassInfo):
                    if name in klass.attributes:
                        return None
                else:
                    entry = entries().method(klass, name)
                    if entry is not None:
                        return entry
        return None

    def _unmistakable(self, node):
        owner = _OF_ANYBODY.get(node.attr)
        if self._has_chainer:
            owner = _UNMISTAKABLE.get(node.attr, owner)
        if owner is None and node.attr in _OF_OPTIMIZERS:
            receiver = node.value
            spelled = getattr(receiver, 'attr', getattr(receiver, 'id', ''))
            owner = _OF_OPTIMIZERS[node.attr] if 'opt' in spelled else None
        entry = owner and entries().method(owner, node.attr)
        if entry:
            self.report(node, entry)

    @staticmethod
    def class_of(node, scope):
        """Return the ``ClassInfo`` of the definition of a class in a scope."""
        return next(value for value in scope.lookup(node.name)
                    if isinstance(value, ClassInfo) and value.node is node)

    def _check_ClassDef(self, node, scope):
        """Members that a base class looked for once, and does not any more."""
        info = self.class_of(node, scope)
        bases = [base for base in self.inference.family(info) if isinstance(base, str)]
        for statement in node.body:
            names = ([statement.name] if isinstance(statement, ast.FunctionDef)
                     else [target.id for target in statement.targets
                           if isinstance(target, ast.Name)]
                     if isinstance(statement, ast.Assign) else [])
            for name in names:
                entry = next(filter(None, (
                    entries().method(base, name) for base in bases)), None)
                if entry is not None and not name.startswith('__'):
                    self.report(statement, entry)

    # Calls.

    @staticmethod
    def is_hook(name):
        """Return whether a class's objects are hooks of optimizers."""
        return hasattr(packages.find(name), 'call_for_each_param')

    def _check_Call(self, node, scope):
        function = node.func
        for value in self.inference.values(function, scope):
            if value.kind == NAME:
                name = self._today(value.what)
                self._arguments(node, name, entries().arguments(name),
                                packages.parameters(packages.find(name)))
            elif value.kind == OBJECT:
                self._method(node, value.what, '__call__')
            elif value.kind == OWN:
                self._own_method(node, value.what, '__call__')
        if isinstance(function, ast.Attribute):
            for value in self.inference.values(function.value, scope):
                if value.kind == OBJECT:
                    self._method(node, value.what, function.attr)
                elif value.kind == OWN:
                    if self._own_method(node, value.what, function.attr):
                        break
                elif value.kind == NAME and function.attr == '__init__':
                    self._arguments(node, value.what, entries().arguments(value.what),
                                    packages.parameters(packages.find(value.what)), 1)

    @staticmethod
    def _today(name):
        """Return the name of the link that stood among the functions, or the name."""
        entry = entries().name(name)
        if entry is None or not name.startswith('chainer.functions.'):
            return name
        today = entry.instead.removeprefix('write ')
        return today if today.startswith('chainer.links.') else name

    def _own_method(self, node, info, name):
        """Check a call of a method that a class of the source inherits.

        Return whether a class of the source has it.
        """
        for klass in self.inference.family(info):
            if isinstance(klass, str):
                self._method(node, klass, name)
            elif name in klass.attributes or (
                    name == '__call__' and 'forward' in klass.attributes):
                return True
        return False

    def _method(self, node, owner, name):
        """Check a call of a method of a class with a full name."""
        if name == '__init__':
            self._arguments(node, owner, entries().arguments(owner),
                            packages.parameters(packages.find(owner)))
            return
        gone = entries().method_arguments(owner, name)
        found = packages.find(owner)
        if isinstance(found, type) and owner.startswith('chainer'):
            if name == '__call__' and issubclass(found, packages.find('chainer.Link')):
                name = 'forward'
            static = inspect.getattr_static(found, name, None)
            if not isinstance(static, (staticmethod, classmethod)):
                given = packages.parameters(getattr(found, name, None), 1)
                self._arguments(node, '%s.%s' % (
                    owner, '__call__' if name == 'forward' else name), gone, given)

    def _arguments(self, node, name, gone, given, skip=0):
        """Report arguments of a call that are gone or that the callable lacks.

        The first ``skip`` positional ones are not the callable's own.
        """
        for keyword in node.keywords:
            if keyword.arg in gone:
                self.report(node, gone[keyword.arg], argument=keyword.arg)
            elif keyword.arg and given is not None and name.startswith('chainer') \
                    and not packages.takes(given, keyword.arg):
                self.report(node, what='%s(%s=)' % (name, keyword.arg),
                            instead='leave the argument out: there is no such one',
                            argument=keyword.arg)
        places = None if given is None else packages.positional(given)
        if places is None or not name.startswith('chainer'):
            return
        old = POSITIONS.get(name, {})
        for place, argument in enumerate(node.args[skip:]):
            if isinstance(argument, ast.Starred):
                return
            entry = gone.get(old.get(place))
            if entry is not None and (place >= len(places) or (
                    places[place] in ('nobias', 'initialW') and _is_number(argument))):
                self.report(node, entry, argument=old[place], position=place + skip)
            elif place >= len(places):
                self.report(node, what='%s with %d arguments' % (
                    name, len(node.args) - skip), instead='give at most %d by position'
                    % len(places))
                return


def _is_number(node):
    """Return whether an expression is a number, and not a flag."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) or _is_number(node.right)
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr == 'sqrt')
