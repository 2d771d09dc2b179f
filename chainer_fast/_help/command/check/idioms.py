"""Idioms that have no name: each has its own check."""
import ast

from chainer_fast._help.command.check import habits, numbers
from chainer_fast._help.command.check.entries import idiom
from chainer_fast._help.command.check.inference import OBJECT, OWN, VARIABLE, Value
from chainer_fast._help.past.removed import _numpy, _python2

_NORMALIZING = {'chainer.links.' + name for name in (
    'BatchNormalization', 'BatchRenormalization', 'InceptionBN', 'ResNet50Layers',
    'ResNet101Layers', 'ResNet152Layers')}
_SETS = {'_params': 'chainer.Link._params as a list',
         '_persistent': 'chainer.Link._persistent as a list',
         '_children': 'chainer.Chain._children as a list'}
_LIST_METHODS = {'append', 'extend', 'index', 'insert', 'reverse', 'sort'}
_LAZY = {'builtins.map', 'builtins.filter', 'builtins.zip', 'builtins.range'}
_LISTS = 'list from map, filter, zip, range or dict.keys'
_OF_RAGGED_ROWS = {'numpy.' + name for name in (
    *_numpy.OF_RAGGED_ROWS, 'random.permutation')}
_STACKS = {'numpy.' + name for name in (
    'stack', 'hstack', 'vstack', 'dstack', 'column_stack', 'concatenate')}


def check(checker, node, scope):
    """Report the idioms that a node matches."""
    find = _FINDERS.get(type(node))
    if find is not None:
        for words in find(checker, node, scope):
            entry = idiom(words)
            if entry is not None:
                checker.report(node, entry)


def _keywords(node):
    return {keyword.arg: keyword.value for keyword in node.keywords}


def _call(checker, node, scope):
    names = checker.inference.names(node.func, scope)
    for name in names:
        yield from _named_call(checker, node, scope, name)
    yield from habits.pickles(checker, node, scope)
    yield from habits.frames(checker, node, scope)
    if isinstance(node.func, ast.Attribute):
        yield from _method_call(checker, node, scope, node.func)
    if len(node.args) == 1 and not node.keywords and any(
            value.kind == OBJECT and value.what.startswith('chainer.optimizer')
            and checker.is_hook(value.what)
            for value in checker.inference.values(node.func, scope)):
        yield 'chainer.optimizer hooks called with an optimizer'
    if checker.written_for:
        for name in names:
            yield from _changed_meaning(checker, node, scope, checker.today(name))


def _named_call(checker, node, scope, name):
    given, keywords = node.args, _keywords(node)
    if None in keywords:        # **options may contain any argument
        return
    communicator = given[0] if given else keywords.get('communicator_name')
    if name in ('yaml.load', 'yaml.load_all') and len(
            given) == 1 and 'Loader' not in keywords:
        yield name + ' without Loader'
    elif name == 'h5py.File' and len(given) == 1 and 'mode' not in keywords:
        yield 'h5py.File without mode'
    elif name == 'numpy.fromstring' and 'sep' not in keywords and len(given) < 4:
        yield 'numpy.fromstring of bytes'
    elif name in _STACKS and given and _is_lazy(checker, given[0], scope):
        yield 'numpy.stack of a generator'
    elif name in ('numpy.array', 'numpy.asarray') and given:
        if 'dtype' not in keywords and _is_ragged(given[0]):
            yield 'numpy.array of ragged rows'
        copy = keywords.get('copy')
        if isinstance(copy, ast.Constant) and copy.value is False:
            yield 'numpy.array(copy=False) that has to copy'
    elif name in _OF_RAGGED_ROWS and given and _is_ragged(given[0]):
        yield 'numpy.array of ragged rows'
    elif name == 'random.sample' and given and (
            isinstance(given[0], (ast.Set, ast.SetComp))
            or _is_call_of(checker, given[0], scope, {'builtins.set'})):
        yield 'random.sample of a set'
    elif name == 'matplotlib.style.use' and given and isinstance(
            given[0], ast.Constant) and str(given[0].value).startswith(
                'seaborn') and '-v0_8' not in str(given[0].value):
        yield 'matplotlib.style.use of seaborn'
    elif name == 'chainermn.create_communicator' and isinstance(
            communicator, ast.Constant):
        yield '%s(%r)' % (name, communicator.value)
    elif name == 'builtins.input' and checker.is_python2:
        yield 'input evaluates'
    elif name == 'random.shuffle' and len(given) == 2:
        yield 'random.shuffle(random=)'
    elif name == 'builtins.sorted' and 'cmp' in keywords:
        yield 'sorted(cmp=)'
    elif name == 'builtins.len' and given and _is_lazy(checker, given[0], scope,
                                                       views=False):
        yield _LISTS


def _method_call(checker, node, scope, function):
    keywords, receiver = _keywords(node), function.value
    if function.attr == 'eval' and not node.args and _is_type_info(receiver, scope):
        yield 'chainer.utils.type_check.Expr.eval'
    elif function.attr in _LIST_METHODS and _is_set_of_link(checker, receiver, scope):
        yield _SETS[receiver.attr]
    elif function.attr == 'permutation' and node.args and _is_ragged(node.args[0]):
        yield 'numpy.array of ragged rows'
    elif function.attr == 'sort' and 'cmp' in keywords:
        yield 'list.sort(cmp=)'
    elif function.attr == 'gca' and 'projection' in keywords:
        yield 'matplotlib.figure.Figure.gca(projection=)'
    elif function.attr == 'hist' and 'normed' in keywords and not (
            checker.inference.values(receiver, scope)):
        yield 'matplotlib.axes.Axes.hist(normed=)'
    elif function.attr == 'print_report' and node.args and not isinstance(
            node.args[0], ast.Constant):
        # A hook may have been given several names.
        hooks = [value for value in checker.inference.values(receiver, scope)
                 if value.call is not None and value.call[0].lineno < node.lineno]
        if hooks:
            yield max(hooks, key=lambda value: value.call[0].lineno
                      ).what + '.print_report(file)'
    elif function.attr == 'extend' and node.args:
        _check_extension(checker, node.args[0], scope)
    if function.attr == 'sort' and _is_lazy(checker, receiver, scope):
        yield _LISTS
    if function.attr == 'copyparams' and len(node.args) == 1 and not {
            'copy_persistent'} & set(keywords) and set(
                checker.written_for) - {'python'}:
        yield 'persistent values that Link.copyparams leaves alone'


def _check_extension(checker, node, scope):
    """Report the class of an extension that a trainer cannot call."""
    for value in checker.inference.values(node, scope):
        if value.kind == OWN:
            family = checker.inference.family(value.what)
            entry = idiom('extensions without __call__')
            if entry is not None and 'chainer.training.Extension' in family and not any(
                    '__call__' in getattr(klass, 'attributes', ()) for klass in family):
                checker.report(value.what.node, entry)


def _changed_meaning(checker, node, scope, name):
    """Calls that still work, but had another meaning in an earlier version."""
    given, keywords = node.args, _keywords(node)
    if name in _NORMALIZING and set(checker.written_for) - {'python'} and not {
            'initial_avg_var', None} & set(keywords) and len(given) < 11:
        yield '%s with a running variance from 0' % (
            name if 'Renorm' in name else 'chainer.links.BatchNormalization')
    if 'v1' not in checker.written_for:
        return
    if name == 'chainer.functions.split_axis' and len(
            given) < 4 and 'force_tuple' not in keywords:
        yield 'chainer.functions.split_axis without force_tuple'
    elif name == 'chainer.links.GRU':
        yield 'chainer.links.GRU with n_units first'
    elif name in ('chainer.links.LSTM', 'chainer.links.StatelessLSTM') and len(
            given) < 6 and 'forget_bias_init' not in keywords:
        yield 'chainer.links.LSTM with a forget bias of 0'
    elif name == 'chainer.links.ConvolutionND' and len(given) > 6:
        yield 'chainer.links.ConvolutionND by position'
    elif name == 'chainer.links.ConvolutionND' and not {
            'nobias', 'initial_bias'} & set(keywords):
        yield 'chainer.links.ConvolutionND without a bias'
    elif name == 'builtins.len' and given and Value(
            OBJECT, VARIABLE) in checker.inference.values(given[0], scope):
        yield 'chainer.Variable.__len__'


def _is_type_info(node, scope):
    """Return whether an expression concerns the types of a function's arguments."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and (
        node.id in ('in_types', 'out_types', 'in_type')
        or getattr(scope.node, 'name', '').startswith('check_type_')
        and node.id in scope.bindings)


def _is_call_of(checker, node, scope, names):
    return isinstance(node, ast.Call) and any(
        name in names for name in checker.inference.names(node.func, scope))


def _is_lazy(checker, node, scope, views=True):
    """Return whether an expression is a list in Python 2 and an iterator in 3."""
    if isinstance(node, ast.GeneratorExp):
        return True
    if not isinstance(node, ast.Call):
        return False
    lazy = _LAZY if views else _LAZY - {'builtins.range'}
    if _is_call_of(checker, node, scope, lazy):
        return True
    return (views and isinstance(node.func, ast.Attribute) and not node.args
            and node.func.attr in ('keys', 'values', 'items'))


def _is_ragged(node):
    """Return whether a list display has rows of different lengths."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return False
    lengths = {len(row.elts) if isinstance(row, (ast.List, ast.Tuple)) else None
               for row in node.elts}
    if any(isinstance(part, ast.Starred) for row in node.elts
           for part in getattr(row, 'elts', ())):
        return False
    known = all(isinstance(row, (ast.List, ast.Tuple, ast.Constant))
                for row in node.elts)
    return known and (len(lengths) > 1 or any(map(_is_ragged, node.elts)))


def _subscript(checker, node, scope):
    if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Call) and (
            _is_view(checker, node.value, scope)
            or _is_call_of(checker, node.value, scope, _LAZY - {'builtins.range'})):
        yield _LISTS
    if _is_set_of_link(checker, node.value, scope):
        yield _SETS[node.value.attr]
    yield from habits.indices(checker, node, scope)


def _is_set_of_link(checker, node, scope):
    """Return whether an expression is a set of names that links keep."""
    if not isinstance(node, ast.Attribute) or node.attr not in _SETS:
        return False
    inference = checker.inference
    return any(
        name.startswith('chainer.') for value in inference.values(node.value, scope)
        for name in ([value.what] if value.kind == OBJECT else
                     inference.family(value.what) if value.kind == OWN else ())
        if isinstance(name, str))


def _is_view(checker, node, scope):
    """Return whether an expression is known to be a view of a dictionary."""
    return (isinstance(node.func, ast.Attribute) and node.func.attr in (
        'keys', 'values', 'items') and not node.args and not node.keywords
        and any(value.kind == OBJECT and value.what == 'dict'
                for value in checker.inference.values(node.func.value, scope)))


def _operation(checker, node, scope):
    if isinstance(node.op, ast.Add) and any(
            _is_call_of(checker, side, scope, _LAZY) for side in (
                node.left, node.right)):
        yield _LISTS
    yield from _division(checker, node, scope, node.left, node.right)


def _augmented(checker, node, scope):
    yield from _division(checker, node, scope, node.target, node.value)


def _division(checker, node, scope, *sides):
    """Divisions that Python 2 rounded or may have rounded."""
    if not isinstance(node.op, ast.Div) or not checker.is_python2:
        return
    inference = checker.inference
    if all(numbers.is_whole(inference, side, scope) for side in sides):
        yield 'division of whole numbers'
    elif not any(numbers.is_float(inference, side, scope) for side in sides):
        yield 'division that may be of whole numbers'


def _class(checker, node, scope):
    names: dict[str, ast.stmt] = {}
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef):
            names[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            names.update((target.id, statement) for target in statement.targets
                         if isinstance(target, ast.Name))
    for old, (new, words) in _python2.SPECIAL_METHODS.items():
        entry = idiom(words)
        if entry is not None and old in names and new not in names and not (
                old == 'next' and '__iter__' not in names):
            checker.report(names[old], entry)
    if '__metaclass__' in names:
        yield '__metaclass__ attribute'


_FINDERS = {ast.Call: _call, ast.Subscript: _subscript, ast.BinOp: _operation,
            ast.AugAssign: _augmented, ast.ClassDef: _class,
            ast.Compare: habits.devices, ast.Assign: habits.frames,
            ast.Return: habits.frames}
