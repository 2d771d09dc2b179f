"""Fixes for names that were renamed."""
import ast
import builtins
import re
import types

from chainer_fast._help.command.check import packages
from chainer_fast._help.command.check.fix.parts import called

_ORDER = re.compile(r'write ([A-Za-z_]\w*(?:\.\w+)*)$')
_METHOD = re.compile(r'write (?:\w+\.)?(\w+)\(\)$')
# Classes that a function replaced: they can only be called.
_CALLED = {'builtins.file'}
# Methods whose new form lacks their arguments.
_WITHOUT_ARGUMENTS = {'pandas.DataFrame.as_matrix'}

# Their new names have other arguments or results, or are not in both NumPy 1.26 and 2,
# or fissix handles them better.
_OTHERWISE = {
    'numpy.byte_bounds', 'numpy.RankWarning', 'numpy.disp', 'numpy.geterrobj',
    'numpy.seterrobj', 'numpy.source', 'numpy.issubclass_', 'scipy.stats.nanmean',
    'scipy.stats.nanmedian', 'scipy.special.lpn', 'scipy.special.lpmn',
    'scipy.special.clpmn', 'scipy.signal.morlet', 'scipy.signal.morlet2',
    'scipy.signal.daub', 'scipy.signal.qmf', 'scipy.signal.cascade',
    'matplotlib.pyplot.ishold', 'cgi.escape',
    'sklearn.feature_extraction.text.CountVectorizer.get_feature_names',
    'PIL.ImageDraw.ImageDraw.textsize', 'PIL.ImageFont.ImageFont.getsize',

    'chainer.initializers.init_weight', 'chainer.functions.Parameter',
    'chainer.Function.type_check_enable', 'chainer.functions.TheanoFunction',
    'chainer.FunctionSet.parameters', 'numpy.rank', 'numpy.deprecate',
    'numpy.set_string_function', 'numpy.lookfor', 'numpy.nbytes', 'numpy.who',
    'numpy.obj2sctype', 'numpy.MachAr', 'numpy.mafromtxt', 'numpy.ndfromtxt',
    'numpy.recfromtxt', 'numpy.fastCopyAndTranspose', 'imp', 'distutils', 'asyncore',
    'asynchat', 'cgi', 'imghdr', 'pipes', 'platform.linux_distribution',
    'platform.dist', 'StringIO', 'cStringIO', 'commands', 'sets', 'exceptions',
    'os.getcwdu', 'operator.isCallable', 'scipy.misc.lena', 'scipy.misc.imshow',
    'scipy.signal.cwt', 'scipy.interpolate.spline', 'scipy.interpolate.interp2d',
    'scipy.weave', 'scipy.integrate.quadrature', 'scipy.integrate.romberg',
    'scipy.stats.chisqprob', 'scipy.linalg.pinv2', 'scipy.special.sph_harm',
    'scipy.signal.ricker', 'sklearn.utils.linear_assignment_', 'scipy.misc.derivative',
    'sklearn.utils.testing', 'sklearn.mixture.GMM', 'sklearn.preprocessing.Imputer',
    'sklearn.decomposition.RandomizedPCA', 'sklearn.lda', 'sklearn.qda',
    'sklearn.learning_curve', 'sklearn.datasets.load_boston', 'inspect.getargspec',
    'matplotlib.pyplot.hold', 'chainer.backends.cuda_fusion', 'chainer.cuda_fusion',
    'cupy.core', 'cupy.testing.gpu', 'cupy.testing.attr',
    'cupy.cuda.compile_with_cache',
    'scipy.stats.nanstd', 'numpy.testing.decorators', 'numpy.testing.dec',
    'numpy.testing.Tester', 'numpy.testing.raises', 'numpy.testing.run_module_suite',
    'numpy.issubsctype', 'numpy.find_common_type', 'scipy.integrate.simps',
    'fractions.gcd', 'time.clock', 'scipy.misc.comb', 'scipy.misc.electrocardiogram'}
# For modules of which only some names kept their meaning: those names.
_KEPT = {
    'sklearn.cross_validation': {
        'train_test_split', 'cross_val_score', 'cross_val_predict', 'LeaveOneGroupOut'},
    'sklearn.grid_search': {'GridSearchCV', 'RandomizedSearchCV', 'ParameterGrid'}}


def _target(finding, entry):
    if finding.argument or entry is None or finding.what in _OTHERWISE:
        return None
    if finding.what.startswith('chainer.functions.') and finding.what.rpartition(
            '.')[2][:1].isupper() and not entry.instead.startswith(
                'write chainer.links.'):
        return None     # a function class is instantiated, then called
    match = _ORDER.match(entry.instead)
    if match is None or packages.find(match[1]) is packages.MISSING:
        return None
    return match[1]


def _is_kept(plan, what, target, local):
    """Return whether the replacement of an import exists, with all names in use.

    ``local`` is its name in the source: if the source reads attributes of it, the
    replacement must be a module.
    """
    found = packages.find(target)
    used = {node.attr for node in ast.walk(plan.tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            and node.value.id == local}
    if what in _KEPT and not used <= _KEPT[what] or found is packages.MISSING:
        return False
    return (found is packages.UNKNOWN or isinstance(found, types.ModuleType)
            or not used)


def fix(plan, finding, node, scope, entry):
    """Rename the object of a finding; return whether that was possible."""
    if entry is None:
        return False
    if entry.instead == 'leave the line out':
        return _drop(plan, node)
    if isinstance(node, ast.Attribute) and not plan.inference.names(node.value, scope):
        return _rename_member(plan, finding, node, entry)
    target = _target(finding, entry)
    if target is None or finding.what in _CALLED and called(plan, node) is None:
        return False
    if isinstance(node, ast.alias):
        statement = plan.parents[node]
        if not _is_kept(plan, finding.what, target, node.asname or node.name):
            return False
        if isinstance(statement, ast.Import):
            return _rename_import(plan, statement, node, finding.what, target)
        return rename_from(plan, statement, node, target)
    if isinstance(node, ast.ImportFrom):
        kept = _KEPT.get(finding.what)
        names = {alias.name for alias in node.names}
        if packages.is_there(target) and not isinstance(
                packages.find(target), types.ModuleType):
            # The function replaced its module.
            target, _, last = target.rpartition('.')
            if names != {last}:
                return False
        if node.module != finding.what or kept and not names <= kept or any(
                packages.find('%s.%s' % (target, name)) is packages.MISSING
                for name in names):
            return False
        plan.edits.module(node, target)
        return True
    if isinstance(node, ast.Attribute):
        old_owner, _, _ = finding.what.rpartition('.')
        new_owner, _, last = target.rpartition('.')
        if old_owner == new_owner:
            plan.edits.replace(node, '%s.%s' % (plan.code(node.value), last))
            return True
    if isinstance(node, (ast.Attribute, ast.Name)):
        if finding.what in _KEPT:
            parent = plan.parents[node]
            if not isinstance(parent, ast.Attribute) or parent.attr not in _KEPT[
                    finding.what]:
                return False
        code = _other_place(plan, node, finding, target, scope)
        if code is not None:
            plan.edits.replace(node, code)
            return True
    return False


def _drop(plan, node):
    """Remove the call of a name if it is a whole statement."""
    call = called(plan, node)
    statement = call and plan.parents[call]
    if not isinstance(statement, ast.Expr) or not plan.block(statement):
        return False
    plan.edits.statement(statement, [])
    return True


def _other_place(plan, node, finding, target, scope):
    """Return code for a name of another module, or None."""
    if isinstance(node, ast.Attribute):
        if len(set(plan.inference.names(node.value, scope))) > 1:
            # `cuda if args.gpu >= 0 else np` is another module without a GPU
            return None
        if finding.what.startswith('chainer.') and target.startswith('cupy.'):
            # Programs that also run without CuPy do not import it.
            return '%s.%s' % (plan.code(node.value), target)
    return plan.spell(target, scope)


def _rename_member(plan, finding, node, entry):
    """Rename a method or an attribute of an object."""
    match = _ORDER.match(entry.instead) or _METHOD.match(entry.instead)
    if not match or finding.what.startswith(('dict.', 'chainer.')) or (
            finding.what in _OTHERWISE):
        return False
    owner = match[1].rpartition('.')[0] if match.re is _ORDER else ''
    if owner and owner != finding.what.rpartition('.')[0]:
        return False    # a function of a module, as in pandas.concat
    call = called(plan, node)
    if finding.what in _WITHOUT_ARGUMENTS and (
            call is None or call.args or call.keywords):
        return False
    plan.edits.replace(node, '%s.%s' % (
        plan.operand(node.value), match[1].rpartition('.')[2]))
    return True


def _rename_import(plan, statement, alias, what, target):
    """Change ``import OLD``, keeping the name that the source uses for it."""
    if alias.name != what or len(statement.names) > 1 or not plan.block(statement):
        return False
    if what in _KEPT and alias.asname:
        return False
    if alias.asname == target:
        plan.edits.statement(statement, ['import ' + target])
    elif alias.asname or '.' not in alias.name:
        plan.edits.statement(
            statement, ['import %s as %s' % (target, alias.asname or alias.name)])
    else:
        plan.edits.statement(statement, ['import ' + target])
    return True


def rename_from(plan, statement, alias, target):
    """Remove one name from a ``from`` import, and import its successor."""
    if not plan.block(statement) or (
            statement.lineno, statement.col_offset) in plan.edits.statements:
        return False
    if '#' in plan.code(statement):     # a comment between the names would be lost
        return False
    local = alias.asname or alias.name
    module, _, last = target.rpartition('.')
    lines = []
    others = [other for other in statement.names if other is not alias]
    if others:
        lines.append('from %s import %s' % (statement.module, ', '.join(
            other.name + (' as ' + other.asname if other.asname else '')
            for other in others)))
    if module:
        lines.append('from %s import %s' % (module, last) + (
            ' as ' + local if local != last else ''))
    elif not hasattr(builtins, last):
        lines.append('import ' + last + (' as ' + local if local != last else ''))
    elif local != last:
        lines.append('%s = %s' % (local, last))
    plan.edits.statement(statement, lines)
    return True
