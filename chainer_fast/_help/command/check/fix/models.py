"""Fixes for links, optimizers, trainers and communicators."""
import ast

from chainer_fast._help.command.check.fix.parts import added, called, named

# Names that read or use gradients, and statements that run their blocks.
_GRADIENTS = {'grad', 'grad_var', 'gradients', 'update', 'accumulate_grads', 'addgrads',
              'compute_grads_norm', 'clip_grads', 'weight_decay'}
_BLOCKS = (ast.With, ast.For)
_TYPE_CHECK = 'chainer.utils.type_check'


def _clip_grads(plan, finding, node, scope):
    """Replace a method that acted at once by a call of a hook."""
    call = called(plan, node)
    hook = plan.spell('chainer.optimizer_hooks.GradientClipping', scope)
    if call is None or len(call.args) + len(call.keywords) != 1 or hook is None:
        return False
    value = call.args[0] if call.args else call.keywords[0].value
    if isinstance(value, ast.Starred) or named(call, None):
        return False
    plan.edits.replace(call, '%s(%s)(%s)' % (
        hook, plan.code(value), plan.code(node.value)))
    return True


def _zero_grads(plan, finding, node, scope):
    """Clear gradients, unless code may read the zeros before backward()."""
    call = called(plan, node)
    statement = call and plan.parents[call]
    block = isinstance(statement, ast.Expr) and plan.block(statement)
    if not block or not _are_filled(block[block.index(statement) + 1:]):
        return False
    plan.edits.replace(node, '%s.target.cleargrads' % plan.operand(node.value))
    return True


def _are_filled(statements):
    """Return whether statements call backward() before reading any gradient."""
    for statement in statements:
        inside = [part.attr for part in ast.walk(statement)
                  if isinstance(part, ast.Attribute)]
        if _GRADIENTS & set(inside):
            # A whole pass over the data, for example
            return isinstance(statement, _BLOCKS) and _are_filled(statement.body)
        if 'backward' in inside:
            if isinstance(statement, _BLOCKS):
                return _are_filled(statement.body)
            return isinstance(statement, (ast.Expr, ast.Assign)) and not any(
                isinstance(part, (ast.Lambda, ast.IfExp, ast.BoolOp))
                for part in ast.walk(statement))
    return False


def _uninitialized(plan, finding, node, scope):
    """Declare a parameter, and set its shape where it was added before."""
    call = called(plan, node)
    if call is None or len(call.args) != 1 or not isinstance(
            call.args[0], ast.Constant) or not isinstance(node.value, ast.Name):
        return False
    name = str(call.args[0].value)
    adds = [other for other in ast.walk(plan.tree)
            if isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute)
            and other.func.attr == 'add_param' and other.args
            and isinstance(other.args[0], ast.Constant) and other.args[0].value == name
            and plan.inference.values(
                other.func.value, plan.inference.scope_of(other, plan.parents))
            == plan.inference.values(node.value, scope)]
    if len(adds) != 1:
        return False
    link = next(iter(ast.iter_child_nodes(adds[0].func)))
    declaration, add = plan.parents[call], plan.parents[adds[0]]
    if not isinstance(declaration, ast.Expr) or not isinstance(add, ast.Expr) or not (
            plan.block(declaration) and plan.block(add)):
        return False
    given = _given(adds[0])
    if not {'name', 'shape'} <= set(given) <= {'name', 'shape', 'initializer'}:
        return False
    parameter = '%s.%s' % (plan.operand(link), name)
    lines = ['%s.initialize(%s)' % (parameter, plan.code(given['shape']))]
    if 'initializer' in given:
        lines.insert(0, '%s.initializer = %s' % (
            parameter, plan.code(given['initializer'])))
    plan.edits.statement(declaration, ['%s.add_param(%r)' % (
        plan.code(node.value), name)])
    plan.edits.statement(add, lines)
    return True


def _given(call):
    """Return the arguments of ``add_param`` by name."""
    given = dict(zip(('name', 'shape', 'dtype', 'initializer'), call.args,
                     strict=False))
    return given | {keyword.arg: keyword.value for keyword in call.keywords}


def _has_uninitialized(plan, finding, node, scope):
    plan.edits.replace(node, 'any(not p.is_initialized for p in %s.params())'
                       % plan.operand(node.value))
    return True


def _snapshot(plan, finding, call, scope):
    """Move the trigger to the call that adds the extension."""
    around = plan.parents[call]
    keyword = named(call, 'trigger')
    if keyword is None or not isinstance(around, ast.Call) or not isinstance(
            around.func, ast.Attribute) or around.func.attr != 'extend' or named(
                around, 'trigger') is not None:
        return False
    plan.edits.argument(keyword, None)
    plan.edits.add_argument(around, 'trigger=' + plan.code(keyword.value))
    return True


def _before_training(plan, finding, call, scope):
    """Remove an argument that has no effect since version 2."""
    keyword = named(call, 'invoke_before_training')
    if keyword is None or not isinstance(
            keyword.value, ast.Constant) or keyword.value.value:
        return False
    plan.edits.argument(keyword, None)
    return True


def _cuda_init(plan, finding, node, scope):
    call = called(plan, node)
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
    value = call.args[0] if call.args else named(call, 'communicator_name').value
    plan.edits.replace(value, "'pure_nccl'")
    return True


def _stateless_gru(plan, finding, call, scope):
    """Replace a GRU that took the size of the state first and was stateless."""
    if len(call.args) != 2 or call.keywords or any(
            isinstance(argument, ast.Starred) for argument in call.args):
        return False
    name = plan.spell('chainer.links.StatelessGRU', scope)
    if name is None:
        return False
    plan.edits.replace(call, '%s(%s, %s)' % (
        name, plan.code(call.args[1]), plan.code(call.args[0])))
    return True


def _variance(plan, finding, call, scope):
    """Skip links that contain such links, as they lack the argument."""
    if not any(name.rpartition('.')[2] in ('BatchNormalization', 'BatchRenormalization')
               for name in plan.inference.names(call.func, scope)):
        return False
    plan.edits.add_argument(call, 'initial_avg_var=0')
    return True


#: Functions by the entry that they fix.
FIXERS = {
    'chainer.Optimizer.zero_grads': _zero_grads,
    'chainer.Optimizer.clip_grads': _clip_grads,
    'chainer.Link.add_uninitialized_param': _uninitialized,
    'chainer.Link.has_uninitialized_params': _has_uninitialized,
    'chainer.training.extensions.snapshot(trigger=)': _snapshot,
    'chainer.training.extensions.snapshot_object(trigger=)': _snapshot,
    'chainer.training.Trainer.extend(invoke_before_training=)': _before_training,
    'chainer.training.make_extension(invoke_before_training=)': _before_training,
    'chainer.cuda.init': _cuda_init,
    'chainer.utils.type_check.Expr.eval': _type_check_eval,
    **{'chainermn.create_communicator(%r)' % name: _communicator
       for name in ('hierarchical', 'two_dimensional', 'single_node')},
    # The version that the user names decides these
    'chainer.functions.split_axis without force_tuple': added('force_tuple=False'),
    'chainer.links.GRU with n_units first': _stateless_gru,
    'chainer.links.LSTM with a forget bias of 0': added('forget_bias_init=0'),
    'chainer.links.ConvolutionND without a bias': added('nobias=True'),
    'persistent values that Link.copyparams leaves alone': added(
        'copy_persistent=False'),
    **{'chainer.links.%s with a running variance from 0' % name: _variance
       for name in ('BatchNormalization', 'BatchRenormalization')},
}
