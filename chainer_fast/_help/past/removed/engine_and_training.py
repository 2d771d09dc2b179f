"""What was removed from Chainer 1 to 6 besides functions and links."""
from chainer_fast._help.past.removed.entry import Removed

V1, V2, V3, V5, V6 = (
    'Chainer 1.24', 'Chainer 2.1', 'Chainer 3.5', 'Chainer 5.4', 'Chainer 6.7')

_NO_GRAPH = 'wrap the computation in with chainer.no_backprop_mode():'
_CUPY = 'write cupy.%s'
_RULE = 'write a chainer.UpdateRule, and return it from create_update_rule()'
_MADE_BY_RULE = 'each parameter gets a rule that calls the methods of the optimizer'

_VARIABLES = (
    Removed('chainer.Variable(volatile=)', V1, _NO_GRAPH, 'v1',
            'flags propagate as before; mixing ON and OFF raises ValueError'),
    Removed('chainer.Variable.volatile', V1, _NO_GRAPH, 'v1'),
    Removed('chainer.Flag', V1, _NO_GRAPH, 'v1'),
    Removed('chainer.ON', V1, _NO_GRAPH, 'v1'),
    Removed('chainer.OFF', V1, 'leave it out', 'v1'),
    Removed('chainer.AUTO', V1, 'leave it out', 'v1'),
    Removed('chainer.flag', V1, _NO_GRAPH, 'v1'),
    Removed('chainer.Variable.__len__', V1, 'write variable.size', 'v1',
            'it was the number of elements; only if v1 is named'),
    Removed('chainer.Variable.__repr__', V1, 'write variable.summary()', '',
            'it was a name without the array; nothing adapts it, as only people read it'
            ),
    Removed('chainer.Function.type_check_enable', V1,
            'write chainer.config.type_check = False', '',
            'setting it does nothing; the checks remain'),
    Removed('variables as inputs of a creator', V1,
            'take nodes: node.data, node.get_variable()', '',
            'the graph has nodes since v2, with the most common attributes'),
    Removed('gradient of the variable that backward() starts from', V5,
            'write variable.backward(retain_grad=True)', 'v5'),
    Removed('chainer.utils.type_check.Expr.eval', V1,
            'write chainer.utils.type_check.eval(expression)', 'v1',
            'type checks that call it run on expressions again'),
)

_LINKS = (
    Removed('chainer.Link.add_uninitialized_param', V1,
            'write with link.init_scope(): link.NAME = chainer.Parameter()', 'v1'),
    Removed('chainer.Link.has_uninitialized_params', V1,
            'write any(not p.is_initialized for p in link.params())', 'v1'),
    Removed('chainer.Link._params as a list', V1,
            'write del link.NAME to drop a parameter; iterate sorted(link._params)',
            'v1', 'a set since v2; it has the methods of both, in order of names'),
    Removed('chainer.Link._persistent as a list', V1,
            'write link.register_persistent(NAME)', 'v1',
            'a set since v2; it has the methods of both, in order of names'),
    Removed('chainer.Chain._children as a list', V1,
            'write chain.children() or del chain.NAME', 'v1',
            'a set since v2; it has the methods of both, in order of names'),
    Removed('variables in the place of parameters', V1,
            'write with link.init_scope(): link.NAME = chainer.Parameter(array)', 'v1',
            'they become parameters, and the optimizer continues with them'),
    Removed('parameters that come after Optimizer.setup', V1,
            'call optimizer.setup(model) when the model is complete', 'v1',
            'only if v1 is named: links that are added or replaced later are trained'),
    Removed('attributes of a program that have a meaning today', V5,
            'choose another name', 'v5', 'the program reads its own value: device and '
            'others of links, input_device of updaters, is_before_training of trainers'
            ),
    Removed('chainer.Link._cpu', V5, 'write link.device.xp is numpy', 'v5'),
    Removed('order of parameters as they were added', V1,
            'write for name, param in sorted(model.namedparams())', 'v1',
            'only if v1 is named; if python is named too, keyword arguments come in '
            'the order of Python 2'),
    Removed('order of parameters in a set', 'Chainer 4.5',
            'write for name, param in sorted(model.namedparams())', 'v4',
            'that of Python 2, if python and a version from v2 to v4 are named; '
            'Python 3 had another one in each process'),
    Removed('chainer.init_weight', V1,
            'write initializer(array), or pass it to chainer.Parameter', 'v1'),
    Removed('chainer.initializers.init_weight', V1,
            'write initializer(array), or pass it to chainer.Parameter', 'v1'),
    Removed('chainer.initializers._get_initializer(scale=)', V1,
            'pass an initializer of that scale', 'v1',
            'the values of the initializer are multiplied'),
)

_OPTIMIZERS = (
    Removed('chainer.Optimizer._call_hook', V5, 'write call_hook', 'v5'),
    *[Removed('chainer.%s.%s' % (owner, name), last,
              'write add_hook() and remove_hook()', 'v5')
      for owner in ('Optimizer', 'UpdateRule')
      for name, last in (('_hooks', 'Chainer 4.5'), ('_pre_update_hooks', V5),
                         ('_post_update_hooks', V5))],
    Removed('chainer.Optimizer.zero_grads', V1, 'write model.cleargrads()', 'v1',
            'gradients are filled with zeros'),
    Removed('chainer.Optimizer.accumulate_grads', V1, 'write model.addgrads(other)',
            'v1'),
    Removed('chainer.Optimizer.clip_grads', V1,
            'write optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(norm))',
            'v1'),
    Removed('chainer.Optimizer.weight_decay', V1,
            'write optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(rate))',
            'v1'),
    Removed('chainer.Optimizer.compute_grads_norm', V1,
            'sum the squares of param.grad over model.params()', 'v1'),
    Removed('chainer.Optimizer.prepare', V1, 'leave it out', 'v1',
            'missing states are created'),
    Removed('chainer.Optimizer._states', V1, 'read param.update_rule.state', 'v1'),
    Removed('chainer.Optimizer.init_state', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('chainer.Optimizer.init_state_cpu', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('chainer.Optimizer.init_state_gpu', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('chainer.GradientMethod.update_one', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('chainer.GradientMethod.update_one_cpu', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('chainer.GradientMethod.update_one_gpu', V1, _RULE, 'v1', _MADE_BY_RULE),
    Removed('gradients of zeros before a loss is computed', V1,
            'write optimizer.use_cleargrads(False)', '',
            'update() sets gradients that the loss does not reach to zero, as before'),
    Removed('chainer.optimizer hooks called with an optimizer', V1,
            'write optimizer.add_hook(hook)', 'v1',
            'WeightDecay(rate)(optimizer) works on all parameters at once'),
    Removed('chainer.optimizer.WeightDecay.kernel', V1,
            'write a hook of your own', '', 'it made a kernel for GPUs of that time'),
    Removed('chainer.optimizer.Lasso.kernel', V1,
            'write a hook of your own', '', 'it made a kernel for GPUs of that time'),
    Removed('chainer.optimizer.GradientNoise.kernel', V1,
            'write a hook of your own', '', 'it made a kernel for GPUs of that time'),
    Removed('chainer.optimizer.exponential_decay_noise', V3,
            'write chainer.optimizer_hooks.gradient_noise.exponential_decay_noise',
            'v3'),
)

_CUDA = (
    Removed('chainer.cuda.init', V1, 'leave it out', 'v1',
            'it checks that a GPU is available, as before'),
    *[Removed('chainer.cuda.' + name, V1, _CUPY % name, 'v1') for name in (
        'empty', 'empty_like', 'full', 'full_like', 'ones', 'ones_like', 'zeros',
        'zeros_like')],
    Removed('chainer.cuda_fusion', V2, 'write chainer.cuda.fuse', 'v2'),
    Removed('chainer.backends.cuda_fusion', 'Chainer 4.5',
            'write chainer.backends.cuda.fuse', 'v4'),
)

_TRAINING = (
    Removed('chainer.training.extensions.snapshot(trigger=)', V1,
            'write trainer.extend(extensions.snapshot(), trigger=...)', 'v1'),
    Removed('chainer.training.extensions.snapshot_object(trigger=)', V1,
            'write trainer.extend(extensions.snapshot_object(...), trigger=...)', 'v1'),
    Removed('chainer.training.Extension.invoke_before_training', V1,
            'write the method initialize(self, trainer), or '
            'trainer.extend(extension, call_before_training=True)', 'v1'),
    Removed('chainer.training.make_extension(invoke_before_training=)', V1,
            'write trainer.extend(extension, call_before_training=True)', 'v1'),
    Removed('chainer.training.Trainer.extend(invoke_before_training=)', V2,
            'write call_before_training=', 'v2',
            'version 2 accepted and ignored it; so does legacy mode without v1'),
    Removed('variables as arguments of a loss function', V1,
            'take arrays: write F.NAME(x), x.shape and chainer.as_variable(x)', 'v1',
            'updaters and Evaluator create the variables; only if v1 is named'),
    Removed('graphs behind reported variables', V1,
            'write chainer.config.keep_graph_on_report = True', 'v1',
            'only if v1 is named'),
    Removed('chainer.training.triggers.interval', V2,
            'write chainer.training.triggers.interval_trigger', 'v2'),
    Removed('chainer.training.extensions.computational_graph.dump_graph', V5,
            'write chainer.training.extensions.dump_graph', 'v5'),
    Removed('extensions without __call__', V5,
            'write def __call__(self, trainer): pass', 'v5'),
    Removed('inputs filled anew before backward()', 'Chainer 2.1', 'write x.copy()', '',
            'if v1 or v2 is named, losses, convolution_2d and batch_normalization take '
            'copies of what a program may fill, without a report'),
    Removed('positions of iterators that a program sets', V5,
            'derive from chainer.dataset.Iterator, or give an order sampler', 'v5'),
    Removed('chainer.iterators.SerialIterator._order', V5,
            'give an order sampler', 'v5', 'of the other iterators as well'),
    Removed('chainer.training.triggers.EarlyStoppingTrigger.patients', V5,
            'write patience', 'v5'),
    Removed('chainer.training.extensions.Evaluator in no mode of its own', V1,
            "put calls of functions in `with chainer.using_config('train', True):`, "
            'unless the mode of tests is right', 'v1',
            'only if v1 is named: dropout drops, and BatchNormalization takes its '
            'averages from the batch, unless their arguments say otherwise'),
    Removed('SerialIterator that shuffles only where an epoch ends within a batch',
            'Chainer 1.12', 'write nothing, unless the numbers matter', 'v1',
            'only if a release up to v1.12 is named: all epochs have the first order '
            'if batches divide the data evenly'),
    Removed('triggers that ask for an update at the end of an epoch', 'Chainer 1.17',
            'write nothing, unless updates take several batches', 'v1',
            'only if a release up to v1.17 is named: where updates take several '
            'batches, ends of epochs within them are missed'),
    Removed('iterators that shuffle the order of the epoch before', 'Chainer 4.5',
            'write nothing, unless the numbers matter', 'v4',
            'only if a version up to v4 is named; of MultiprocessIterator, up to v2'),
    Removed('iterators that shuffle once the examples of an epoch are read', V5,
            'write nothing, unless the numbers matter', 'v5',
            'only if a version up to v5 is named: today the next order is drawn before '
            'the last examples are read, also after the only epoch'),
    Removed('MultiprocessIterator with random numbers of its own', 'Chainer 4.5',
            'write nothing, unless the numbers matter', 'v4',
            'only if v4 is named: a seed is drawn when the iterator is created; '
            'versions 1 to 3 and '
            '5 drew from numpy.random'),
    Removed('devices as numbers', V5,
            "write chainer.get_device(device), device.xp is not numpy, device.send(x)",
            'v5', 'devices compare with numbers, and serve as them; device of updaters '
            'and evaluators is the number itself if a version up to v5 is named'),
    Removed('the device of an updater, set later', V6,
            'write super().__init__(..., device=device)', 'v6'),
    Removed('chainer.Optimizer.new_epoch beside an updater', 'Chainer 4.5',
            'pass auto_new_epoch=False to the updater', 'v4',
            'the updater counts, or the program if a version up to v4 is named'),
    Removed('chainer.function_hooks.TimerHook.print_report(file)', V5,
            'write print_report(file=...)', 'v5',
            'an object with write() in the first place is the file'),
    Removed('chainer.function_hooks.CupyMemoryProfileHook.print_report(file)', V5,
            'write print_report(file=...)', 'v5',
            'an object with write() in the first place is the file'),
    Removed('chainer.link_hooks.TimerHook.print_report(file)', V5,
            'write print_report(file=...)', 'v5',
            'an object with write() in the first place is the file'),
    Removed('functions in call_history of hooks', V3,
            'read the name that takes their place', '',
            'hooks keep names alone, so that graphs are freed'),
    Removed('persistent values that Link.copyparams leaves alone', 'Chainer 4.5',
            'write copyparams(link, copy_persistent=False)', 'v4',
            'only if a version up to v4 is named'),
)

_FILES = (
    Removed('chainer.serializers.load_npz(filename=)', V2, 'write file=', 'v2'),
    Removed('pickle.load of objects of an earlier Chainer', 'Chainer 6.7',
            'write chainer.serializers.load_pickle(file, allow=...)', 'v6',
            'the file can run any code, as before: open only your own files'),
    Removed('chainer.serializers.save_npz(filename=)', V2, 'write file=', 'v2'),
    Removed('chainer.utils.WalkerAlias.sample_cpu', V5, 'write sample', 'v5'),
)

_MODULES = tuple([Removed(old, last, 'write ' + new, part) for old, last, new, part in (
    ('chainer.functions.caffe', V1, 'chainer.links.caffe', 'v1'),
    *[('chainer.functions.activation.' + name, V6, 'chainer.functions.rnn.' + name,
       'v6') for name in ('lstm', 'slstm', 'tree_lstm')],
    *[('chainer.%ss.connection.%s' % (kind, name), V6,
       'chainer.%ss.rnn.%s' % (kind, name), 'v6')
      for kind in ('function', 'link')
      for name in ('n_step_gru', 'n_step_lstm', 'n_step_rnn')],
    *[('chainer.links.connection.' + name, V6, 'chainer.links.rnn.' + name, 'v6')
      for name in ('gru', 'lstm', 'mgu', 'peephole', 'tree_lstm', 'zoneoutlstm')],
    ('chainer.functions.math.squared_difference', V6,
     'chainer.functions.squared_difference', 'v6'),
    ('chainer.functions.pooling.max_pooling_2d', V6,
     'chainer.functions.max_pooling_2d', 'v6'),
)])

ENTRIES: tuple[Removed, ...] = (
    *_VARIABLES, *_LINKS, *_OPTIMIZERS, *_CUDA, *_TRAINING, *_FILES, *_MODULES)
