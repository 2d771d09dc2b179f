"""Fixes for Python, NumPy and other libraries."""
import ast
import re
from typing import Any

from chainer_fast._help.command.check import habits
from chainer_fast._help.command.check.fix import renames
from chainer_fast._help.command.check.fix.parts import added, called, named


def _cgi_escape(plan, finding, node, scope):
    """``cgi.escape`` left quotation marks unchanged."""
    call = called(plan, node)
    if call is None or len(call.args) != 1 or isinstance(
            call.args[0], ast.Starred) or not {
                keyword.arg for keyword in call.keywords} <= {'quote'}:
        return False
    if not _replace_name(plan, node, scope, 'html.escape'):
        return False
    if not call.keywords:
        plan.edits.add_argument(call, 'quote=False')
    return True


def _reshape(plan, finding, call, scope):
    """NumPy 1.26 and 2.1 have different keywords for it."""
    if len(call.args) != 1 or isinstance(call.args[0], ast.Starred) or named(
            call, None) is not None:
        return False
    keyword = named(call, 'newshape')
    if keyword is not call.keywords[0]:
        return False
    plan.edits.argument(keyword, plan.code(keyword.value))
    return True


def _only_argument(plan, node):
    """Return the call of a name and its only argument, or None twice."""
    call = called(plan, node)
    if call is None or call.keywords or len(call.args) != 1 or isinstance(
            call.args[0], ast.Starred):
        return None, None
    return call, call.args[0]


def _around(form):
    """Return a fixer that formats the argument of a call into a template."""
    def fixer(plan, finding, node, scope):
        call, argument = _only_argument(plan, node)
        if call is None:
            return False
        code = form
        for name in re.findall(r'<([\w.]+)>', form):
            spelled = plan.spell(name, scope)
            if spelled is None:
                return False
            code = code.replace('<%s>' % name, spelled)
        plan.edits.replace(call, code.replace('{operand}', plan.operand(
            argument)).replace('{}', plan.code(argument)))
        return True
    return fixer


def _value(form):
    """Return a fixer that replaces a name by a value."""
    def fixer(plan, finding, node, scope):
        if not isinstance(node, ast.Attribute):
            return False
        plan.edits.replace(node, form.replace('numpy', plan.code(node.value)))
        return True
    return fixer


def _ptp(plan, finding, node, scope):
    call = called(plan, node)
    name = plan.spell('numpy.ptp', scope)
    if call is None or name is None or named(call, None) is not None:
        return False
    given = [node.value, *call.args]
    code = ', '.join([*map(plan.code, given), *(
        '%s=%s' % (keyword.arg, plan.code(keyword.value))
        for keyword in call.keywords)])
    plan.edits.replace(call, '%s(%s)' % (name, code))
    return True


def _in1d(plan, finding, node, scope):
    """It flattened its first argument, and isin does not."""
    call = called(plan, node)
    if call is None or not call.args or isinstance(
            call.args[0], ast.Starred) or not isinstance(node, ast.Attribute) or not {
                keyword.arg for keyword in call.keywords} <= {
                    'assume_unique', 'invert', 'kind'}:
        return False
    module = plan.code(node.value)
    plan.edits.replace(node, module + '.isin')
    plan.edits.argument(call.args[0], '%s.ravel(%s)' % (
        module, plan.code(call.args[0])))
    return True


def _getargspec(plan, finding, node, scope):
    """Only its first values are the same."""
    call = called(plan, node)
    around = plan.parents.get(call)
    if not isinstance(around, ast.Attribute) or around.attr not in (
            'args', 'varargs', 'defaults'):
        return False
    plan.edits.replace(node, plan.code(node.value) + '.getfullargspec')
    return True


def _gcd(plan, finding, node, scope):
    """It kept a sign; whole numbers that are counts have none."""
    return _replace_name(plan, node, scope, 'math.gcd')


def _clock(plan, finding, node, scope):
    return _replace_name(plan, node, scope, 'time.perf_counter')


def _replace_name(plan, node, scope, name):
    if isinstance(node, ast.alias):
        statement = plan.parents[node]
        return isinstance(statement, ast.ImportFrom) and renames.rename_from(
            plan, statement, node, name)
    code = plan.spell(name, scope)
    if code is None:
        return False
    plan.edits.replace(node, code)
    return True


def _safe_load(plan, finding, call, scope):
    if not isinstance(call.func, ast.Attribute):
        return False
    plan.edits.replace(call.func, '%s.%s' % (
        plan.code(call.func.value), call.func.attr.replace('load', 'safe_load')))
    return True


def _frombuffer(plan, finding, call, scope):
    if not isinstance(call.func, ast.Attribute) or named(
            call, 'string') is not None or not call.args or isinstance(
                call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
        return False    # text has no buffer
    code = plan.code(call)
    old = plan.code(call.func)
    plan.edits.replace(call, '%s.frombuffer%s.copy()' % (
        plan.code(call.func.value), code[len(old):]))
    return code.startswith(old)


def _binary(plan, finding, call, scope):
    """Open the file in binary mode if nothing else uses it."""
    for file in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(file, ast.Call) and habits.text_file(plan, file, scope) is file:
            mode: Any = file.args[1] if len(file.args) > 1 else next(
                (keyword.value for keyword in file.keywords
                 if keyword.arg == 'mode'), None)
            if {'encoding', 'errors', 'newline', None} & {
                    keyword.arg for keyword in file.keywords} or len(file.args) > 2:
                return False
            if mode is None:
                plan.edits.add_argument(file, "'rb'")
            else:
                # U selected Python 2's handling of line ends.
                plan.edits.replace(mode, repr(
                    mode.value.replace('t', '').replace('U', '') + 'b'
                    if mode.value.strip('tU') else 'rb'))
            return True
    return False


def _listed(plan, finding, call, scope):
    """Convert the first argument to a list."""
    first = plan.code(call.args[0])
    if not isinstance(call.args[0], ast.GeneratorExp):
        first = '(%s)' % first
    arguments = ['list' + first, *map(plan.code, call.args[1:]), *(
        '%s=%s' % (keyword.arg, plan.code(keyword.value)) for keyword in call.keywords)]
    plan.edits.replace(call, '%s(%s)' % (plan.code(call.func), ', '.join(arguments)))
    return True


def _of_objects(plan, finding, call, scope):
    """Make an array with dtype object of the rows."""
    if not {'numpy.array', 'numpy.asarray'}.isdisjoint(
            plan.inference.names(call.func, scope)):
        plan.edits.add_argument(call, 'dtype=object')
        return True
    name = plan.spell('numpy.array', scope)
    if name is None:
        return False
    plan.edits.argument(call.args[0], '%s(%s, dtype=object)' % (
        name, plan.code(call.args[0])))
    return True


def _floor(plan, finding, node, scope):
    if isinstance(node, ast.AugAssign):
        if not plan.block(node):
            return False
        plan.edits.statement(node, ['%s //= %s' % (
            plan.code(node.target), plan.code(node.value))])
        return True
    plan.edits.replace(node, '%s // %s' % (
        _side(plan, node.left), _side(plan, node.right)))
    return True


def _side(plan, node):
    """Return the code of an operand of a division, with the parentheses it needs."""
    code = plan.code(node)
    return '(%s)' % code if isinstance(node, ast.BinOp) and not (
        isinstance(node.op, (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod))
        and plan.parents[node].left is node) else code


def _cmp(plan, finding, node, scope):
    """The fix writes the arguments twice, so they must be simple expressions."""
    call = called(plan, node)
    if call is None or len(call.args) != 2 or not all(
            isinstance(part, (ast.Name, ast.Attribute, ast.Constant, ast.Subscript,
                              ast.Load)) for argument in call.args
            for part in ast.walk(argument)):
        return False
    one, other = map(plan.code, call.args)
    plan.edits.replace(call, '((%s > %s) - (%s < %s))' % (one, other, one, other))
    return True


def _method(name):
    def fixer(plan, finding, node, scope):
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            return False
        plan.edits.definition(node, name)
        return True
    return fixer


def _on_gpu(name):
    """Return a fixer for a function whose arrays are float32 by default."""
    place = 2 if name == 'full' else 1

    def fixer(plan, finding, node, scope):
        call = called(plan, node)
        if call is None or named(call, None) or any(
                isinstance(argument, ast.Starred) for argument in call.args):
            return False    # the function itself has a different default today
        dtype = None
        if len(call.args) <= place and not named(call, 'dtype'):
            dtype = plan.spell('numpy.float32', scope)
            if dtype is None:
                return False
        if not _replace_name_of_cupy(plan, node, scope, name):
            return False
        if dtype is not None:
            plan.edits.add_argument(call, 'dtype=' + dtype)
        return True
    return fixer


def _replace_name_of_cupy(plan, node, scope, name):
    if not isinstance(node, ast.Attribute) or len(
            set(plan.inference.names(node.value, scope))) > 1:
        return False
    plan.edits.replace(node, '%s.cupy.%s' % (plan.code(node.value), name))
    return True


#: Functions by the entry that they fix.
FIXERS = {
    **{'chainer.cuda.' + name: _on_gpu(name)
       for name in ('empty', 'full', 'ones', 'zeros')},
    'builtins.cmp': _cmp,
    '__nonzero__ method': _method('__bool__'),
    '__div__ method': _method('__truediv__'),
    '__unicode__ method': _method('__str__'),
    'next method of an iterator': _method('__next__'),
    'numpy.asscalar': _around('{operand}.item()'),
    'numpy.alen': _around('len({})'),
    'numpy.rank': _around('<numpy.ndim>({})'),
    'numpy.msort': _around('<numpy.sort>({}, axis=0)'),
    'numpy.asfarray': _around('<numpy.asarray>({}, dtype=float)'),
    'numpy.lib.asfarray': _around('<numpy.asarray>({}, dtype=float)'),
    'numpy.PINF': _value('numpy.inf'), 'numpy.NINF': _value('-numpy.inf'),
    'numpy.PZERO': _value('0.0'), 'numpy.NZERO': _value('-0.0'),
    'numpy.NAN': _value('numpy.nan'),
    'numpy.in1d': _in1d,
    'numpy.ndarray.ptp': _ptp,
    'inspect.getargspec': _getargspec,
    'fractions.gcd': _gcd,
    'cgi.escape': _cgi_escape,
    'numpy.reshape(newshape=)': _reshape,
    'time.clock': _clock,
    'yaml.load without Loader': _safe_load,
    'yaml.load_all without Loader': _safe_load,
    'h5py.File without mode': added("'a'"),
    'numpy.array of ragged rows': _of_objects,
    'numpy.fromstring of bytes': _frombuffer,
    'numpy.stack of a generator': _listed,
    'pickle in a file of text': _binary,
    'division of whole numbers': _floor,
}
