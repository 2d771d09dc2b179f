"""Checks of names of modules and objects that no longer exist."""
import ast
from typing import Any

from chainer_fast._help.command.check import packages
from chainer_fast._help.command.check.entries import entries
from chainer_fast._help.command.check.inference import CLASS, NAME, OBJECT, OWN
from chainer_fast._help.command.check.scopes import ClassInfo

# Members that only Chainer's objects had, so that they are reported on any object of a
# program that imports chainer; and those that are reported on optimizers only.
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
    'itemset': 'numpy.ndarray'}
# Members that users' classes define and a base class reads.
_HOOKS = {
    'init_state', 'init_state_cpu', 'init_state_gpu', 'invoke_before_training',
    'prepare', 'update_one', 'update_one_cpu', 'update_one_gpu'}
_OF_OPTIMIZERS = {
    'clip_grads': 'chainer.Optimizer', 'weight_decay': 'chainer.Optimizer'}


class NameChecks:
    """Checks of imports, names, attributes and classes of a module."""

    inference: Any
    has_chainer: bool
    given: set
    report: Any

    def _name(self, node, full):
        """Report a full name that was removed or that the package lacks."""
        entry = entries().name(full)
        if entry is not None:
            self.report(node, entry)
            return True
        if packages.find(full) is packages.MISSING:
            self.report(node, what=full, instead=packages.missing_name(full))
            return True
        return False

    def _module(self, node, name):
        """Report the longest known part of a module's name that was removed."""
        parts = packages.usual(name).split('.')
        full = ['.'.join(parts[:length]) for length in range(1, len(parts) + 1)]
        known = [one for one in full if entries().name(one)]
        return any(self._name(node, one) for one in known[-1:] or full)

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
        """Check names of a star import, which no import statement lists."""
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
            if entry is not None and isinstance(node.ctx, ast.Store) and not isinstance(
                    packages.find(name), type):
                self.given.add(entry.what)      # the program defines it again itself
                return
            if entry is not None:
                self.report(node, entry)
                return
        if isinstance(node.ctx, ast.Load) and names and self.inference.is_imported(
                node, scope) and all(
                packages.find(name) is not packages.MISSING
                and packages.find('%s.%s' % (name, node.attr)) is packages.MISSING
                and not entries().name(name) for name in names):
            self._name(node, packages.usual('%s.%s' % (names[0], node.attr)))
        if node.attr in _HOOKS - {'prepare'} and isinstance(node.value, ast.Call):
            return      # super().init_state(): the definition is reported
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
        if self.has_chainer:
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
        """Check members that a base class once used and now ignores."""
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
                if entry is not None and name in _HOOKS:
                    self.report(statement, entry)
