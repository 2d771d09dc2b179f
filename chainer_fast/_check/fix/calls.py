"""Calls that are written in another way today."""
import ast
import re

from chainer_fast._check.inference import OBJECT

_KEYWORD = re.compile(r'(?:write|pass) (\w+)=$')
_LEFT_OUT = re.compile(r'leave (?:the argument|\w+) out$')
_TYPE_CHECK = 'chainer.utils.type_check'


def fix(plan, finding, node, scope, entry):
    """Rewrite the call that a finding is about; return whether that could be done."""
    fixer = _FIXERS.get(finding.what)
    if fixer is not None:
        return bool(fixer(plan, finding, node, scope))
    if finding.argument == 'wscale':
        return _wscale(plan, finding, node, scope)
    if finding.argument == 'bias':
        return _bias(plan, finding, node)
    if finding.argument and entry is not None:
        return _keyword(plan, finding, node, entry)
    return False


def _called(plan, node):
    """Return the call of an expression, or None."""
    call = plan.parents.get(node)
    return call if isinstance(call, ast.Call) and call.func is node else None


def _named(call, name):
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def _keyword(plan, finding, call, entry):
    """Rename a keyword, or leave it out."""
    keyword = _named(call, finding.argument)
    if keyword is None:
        return False
    match = _KEYWORD.match(entry.instead)
    if match:
        if _named(call, match[1]) is not None:
            return False
        plan.edits.argument(keyword, '%s=%s' % (match[1], plan.code(keyword.value)))
        return True
    if _LEFT_OUT.match(entry.instead):
        plan.edits.argument(keyword, None)
        return True
    return False


# Weights.

def _number(node):
    return node.value if isinstance(node, ast.Constant) else None


def _wscale(plan, finding, call, scope):
    """Put an initializer of the same distribution in place of a scale."""
    if _named(call, 'initialW') or 'MLPConvolution2D' in finding.what \
            or 'Maxout' in finding.what:
        return False
    if finding.position >= 0:
        if finding.position != len(call.args) - 1:
            return False
        argument = value = call.args[finding.position]
    else:
        argument = _named(call, 'wscale')
        value = argument.value
    if _number(value) == 1:
        plan.edits.argument(argument, None)
        return True
    name = plan.spell('chainer.initializers.LeCunNormal', scope)
    root = plan.spell('math.sqrt', scope)
    if name is None or root is None:
        return False
    plan.edits.argument(argument, 'initialW=%s(%s(%s))' % (
        name, root, plan.code(value)))
    return True


def _bias(plan, finding, call):
    keyword = _named(call, 'bias')
    if keyword is None or _named(call, 'initial_bias') is not None:
        return False
    code = plan.code(keyword.value)
    plan.edits.argument(
        keyword, None if _number(keyword.value) == 0 else 'initial_bias=' + code)
    return True


# Models and optimizers.

def _function_set(plan, finding, node, scope):
    """A chain takes the same links, but not by a plain assignment afterwards."""
    for other in ast.walk(plan.tree):
        if isinstance(other, ast.Attribute) and isinstance(other.ctx, ast.Store):
            values = plan.inference.values(
                other.value, plan.inference.scope_of(other, plan.parents))
            if any(value.kind == OBJECT and value.what == 'chainer.FunctionSet'
                   for value in values):
                return False
    if not isinstance(node, ast.Attribute):
        return False
    plan.edits.replace(node, plan.code(node.value) + '.Chain')
    return True


def _zero_grads(plan, finding, node, scope):
    if _called(plan, node) is None:
        return False
    plan.edits.replace(node, '%s.target.cleargrads' % plan.operand(node.value))
    return True


def _collect_parameters(plan, finding, node, scope):
    call = _called(plan, node)
    around = plan.parents.get(call)
    if call is None or not isinstance(around, ast.Call) or not isinstance(
            around.func, ast.Attribute) or around.func.attr != 'setup':
        return False
    plan.edits.replace(call, plan.code(node.value))
    return True


def _copy_parameters_from(plan, finding, node, scope):
    """Its argument was the parameters of another one."""
    call = _called(plan, node)
    if call is None or len(call.args) != 1:
        return False
    other = call.args[0]
    if not isinstance(other, ast.Attribute) or other.attr != 'parameters':
        return False
    plan.edits.replace(call, '%s.copyparams(%s)' % (
        plan.operand(node.value), plan.code(other.value)))
    return True


def _uninitialized(plan, finding, node, scope):
    """Declare a parameter now, and give it its shape where it was added before."""
    call = _called(plan, node)
    if call is None or len(call.args) != 1 or not isinstance(
            call.args[0], ast.Constant) or not isinstance(node.value, ast.Name):
        return False
    name = call.args[0].value
    adds = [other for other in ast.walk(plan.tree)
            if isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute)
            and other.func.attr == 'add_param' and other.args
            and isinstance(other.args[0], ast.Constant) and other.args[0].value == name
            and plan.inference.values(
                other.func.value, plan.inference.scope_of(other, plan.parents))
            == plan.inference.values(node.value, scope)]
    declaration, add = plan.parents[call], plan.parents[adds[0]] if len(adds) == 1 else 0
    if not isinstance(declaration, ast.Expr) or not isinstance(add, ast.Expr) or not (
            plan.block(declaration) and plan.block(add)):
        return False
    given = dict(zip(('name', 'shape', 'dtype', 'initializer'), adds[0].args,
                     strict=False))
    given.update((keyword.arg, keyword.value) for keyword in adds[0].keywords)
    if not {'name', 'shape'} <= set(given) <= {'name', 'shape', 'initializer'}:
        return False
    link = plan.code(adds[0].func.value)
    lines = ['%s.%s.initialize(%s)' % (link, name, plan.code(given['shape']))]
    if 'initializer' in given:
        lines.insert(0, '%s.%s.initializer = %s' % (
            link, name, plan.code(given['initializer'])))
    plan.edits.statement(declaration, ['%s.add_param(%r)' % (
        plan.code(node.value), name)])
    plan.edits.statement(add, lines)
    return True


def _has_uninitialized(plan, finding, node, scope):
    plan.edits.replace(node, 'any(not p.is_initialized for p in %s.params())'
                       % plan.operand(node.value))
    return True


def _snapshot(plan, finding, call, scope):
    """The trigger belongs to the call that adds the extension."""
    around = plan.parents[call]
    keyword = _named(call, 'trigger')
    if keyword is None or not isinstance(around, ast.Call) or not isinstance(
            around.func, ast.Attribute) or around.func.attr != 'extend' or _named(
                around, 'trigger') is not None:
        return False
    plan.edits.argument(keyword, None)
    plan.edits.add_argument(around, 'trigger=' + plan.code(keyword.value))
    return True


def _cuda_init(plan, finding, node, scope):
    call = _called(plan, node)
    if call is None or call.keywords or len(call.args) > 1:
        return False
    module = plan.code(node.value)
    if call.args:
        plan.edits.replace(call, '%s.get_device_from_id(%s).use()' % (
            module, plan.code(call.args[0])))
    else:
        plan.edits.replace(node, module + '.check_cuda_available')
    return True


def _type_check_eval(plan, finding, call, scope):
    name = plan.spell(_TYPE_CHECK + '.eval', scope)
    if name is None:
        return False
    plan.edits.replace(call, '%s(%s)' % (name, plan.code(call.func.value)))
    return True


def _communicator(plan, finding, call, scope):
    value = call.args[0] if call.args else _named(call, 'communicator_name').value
    plan.edits.replace(value, "'pure_nccl'")
    return True


# Python, NumPy and other libraries.

def _only_argument(plan, node):
    """Return the call of a name and its one argument, or None twice."""
    call = _called(plan, node)
    if call is None or call.keywords or len(call.args) != 1 or isinstance(
            call.args[0], ast.Starred):
        return None, None
    return call, call.args[0]


def _around(form):
    """Return a fixer that writes the argument of a call into a form."""
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
    """Return a fixer that writes a value in place of a name."""
    def fixer(plan, finding, node, scope):
        if not isinstance(node, ast.Attribute):
            return False
        plan.edits.replace(node, form.replace('numpy', plan.code(node.value)))
        return True
    return fixer


def _ptp(plan, finding, node, scope):
    call = _called(plan, node)
    name = plan.spell('numpy.ptp', scope)
    if call is None or name is None:
        return False
    given = [node.value, *call.args]
    code = ', '.join([*map(plan.code, given), *(
        '%s=%s' % (keyword.arg, plan.code(keyword.value))
        for keyword in call.keywords)])
    plan.edits.replace(call, '%s(%s)' % (name, code))
    return True


def _getargspec(plan, finding, node, scope):
    """Only its first values are the same."""
    call = _called(plan, node)
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
    from chainer_fast._check.fix import renames
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


def _added(argument):
    def fixer(plan, finding, call, scope):
        plan.edits.add_argument(call, argument)
        return True
    return fixer


def _stateless_gru(plan, finding, call, scope):
    """It took the size of the state first, and had no state of its own."""
    if len(call.args) != 2 or call.keywords or any(
            isinstance(argument, ast.Starred) for argument in call.args):
        return False
    name = plan.spell('chainer.links.StatelessGRU', scope)
    if name is None:
        return False
    plan.edits.replace(call, '%s(%s, %s)' % (
        name, plan.code(call.args[1]), plan.code(call.args[0])))
    return True


def _frombuffer(plan, finding, call, scope):
    if not isinstance(call.func, ast.Attribute):
        return False
    code = plan.code(call)
    old = plan.code(call.func)
    plan.edits.replace(call, '%s.frombuffer%s.copy()' % (
        plan.code(call.func.value), code[len(old):]))
    return code.startswith(old)


def _listed(plan, finding, call, scope):
    """Make a list of the first argument."""
    plan.edits.replace(call.args[0], 'list(%s)' % plan.code(call.args[0]).strip('()')
                       if isinstance(call.args[0], ast.GeneratorExp)
                       else 'list(%s)' % plan.code(call.args[0]))
    return True


def _floor(plan, finding, node, scope):
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
    """Its arguments are written twice, so they have to be plain."""
    call = _called(plan, node)
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


_FIXERS = {
    'builtins.cmp': _cmp,
    '__nonzero__ method': _method('__bool__'),
    '__div__ method': _method('__truediv__'),
    '__unicode__ method': _method('__str__'),
    'next method of an iterator': _method('__next__'),
    'chainer.FunctionSet': _function_set,
    'chainer.Optimizer.zero_grads': _zero_grads,
    'chainer.FunctionSet.collect_parameters': _collect_parameters,
    'chainer.FunctionSet.copy_parameters_from': _copy_parameters_from,
    'chainer.Link.add_uninitialized_param': _uninitialized,
    'chainer.Link.has_uninitialized_params': _has_uninitialized,
    'chainer.training.extensions.snapshot(trigger=)': _snapshot,
    'chainer.training.extensions.snapshot_object(trigger=)': _snapshot,
    'chainer.cuda.init': _cuda_init,
    'chainer.utils.type_check.Expr.eval': _type_check_eval,
    **{'chainermn.create_communicator(%r)' % name: _communicator
       for name in ('hierarchical', 'two_dimensional', 'single_node')},
    'numpy.asscalar': _around('{operand}.item()'),
    'numpy.alen': _around('len({})'),
    'numpy.rank': _around('<numpy.ndim>({})'),
    'numpy.msort': _around('<numpy.sort>({}, axis=0)'),
    'numpy.asfarray': _around('<numpy.asarray>({}, dtype=float)'),
    'numpy.PINF': _value('numpy.inf'), 'numpy.NINF': _value('-numpy.inf'),
    'numpy.PZERO': _value('0.0'), 'numpy.NZERO': _value('-0.0'),
    'numpy.NAN': _value('numpy.nan'),
    'numpy.ndarray.ptp': _ptp,
    'inspect.getargspec': _getargspec,
    'fractions.gcd': _gcd,
    'time.clock': _clock,
    'yaml.load without Loader': _safe_load,
    'yaml.load_all without Loader': _safe_load,
    'h5py.File without mode': _added("'a'"),
    'numpy.array of ragged rows': _added('dtype=object'),
    'numpy.fromstring of bytes': _frombuffer,
    'numpy.stack of a generator': _listed,
    'division of whole numbers': _floor,
    # What the version decides that the user names
    'chainer.functions.split_axis without force_tuple': _added('force_tuple=False'),
    'chainer.links.GRU with n_units first': _stateless_gru,
    'chainer.links.LSTM with a forget bias of 0': _added('forget_bias_init=0'),
    'chainer.links.ConvolutionND without a bias': _added('nobias=True'),
    'persistent values that Link.copyparams leaves alone': _added(
        'copy_persistent=False'),
    **{'chainer.links.%s with a running variance from 0' % name: _added(
        'initial_avg_var=0') for name in (
            'BatchNormalization', 'BatchRenormalization')},
}
