"""PyTorch's names and their counterparts: the table for errors and docs/pytorch.md.

``python -m chainer_fast._help.pytorch`` prints it for the page. It contains only
data, as every program loads the names.
"""
from __future__ import annotations

import re
import sys

#: For each owner, a module or a class: its name in PyTorch, and rows. A row has
#: PyTorch's names, and what to write here.
TABLE: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    'chainer': ('torch.', (
        ('no_grad', 'with chainer.no_backprop_mode():'),
        ('inference_mode', "with chainer.using_config('train', False), "
                           'chainer.no_backprop_mode():'),
        ('enable_grad', 'with chainer.force_backprop_mode():'),
        ('set_grad_enabled', "chainer.using_config('enable_backprop', value)"),
        ('tensor as_tensor from_numpy Tensor',
         'an array of NumPy; chainer.Variable(array) where its gradient is needed'),
        ('zeros ones arange linspace rand randn eye', 'numpy, or device.xp'),
        ('cat', 'F.concat'),
        ('stack', 'F.stack'),
        ('einsum', 'F.einsum'),
        ('matmul bmm mm', 'F.matmul'),
        ('manual_seed', 'numpy.random.seed(0), and cupy.random.seed(0)'),
        ('device', "chainer.get_device('@numpy'), '@cupy:0'"),
        ('save', 'chainer.serializers.save_npz(path, model)'),
        ('load', 'chainer.serializers.load_npz(path, model)'),
        ('nn', 'chainer.Chain, chainer.links as L, chainer.functions as F'),
        ('Module', 'chainer.Chain'),
        ('optim', 'chainer.optimizers'),
        ('autograd', 'chainer.FunctionNode, chainer.grad'),
        ('compile jit', 'chainer.graph_optimizations.static_graph, a decorator'))),
    'chainer.functions': ('torch.nn.functional.', (
        ('cross_entropy nll_loss', 'F.softmax_cross_entropy(scores, labels)'),
        ('binary_cross_entropy_with_logits',
         'F.sigmoid_cross_entropy(scores, labels), of integers'),
        ('binary_cross_entropy',
         'F.sigmoid_cross_entropy(scores, labels), of scores without a sigmoid'),
        ('mse_loss', 'F.mean_squared_error'),
        ('l1_loss', 'F.mean_absolute_error'),
        ('smooth_l1_loss', 'F.huber_loss(x, t, delta=1)'),
        ('triplet_margin_loss', 'F.triplet'),
        ('ctc_loss', 'F.connectionist_temporal_classification'),
        ('conv1d', 'F.convolution_1d'),
        ('conv2d', 'F.convolution_2d'),
        ('conv3d', 'F.convolution_3d'),
        ('conv_transpose1d', 'F.deconvolution_1d'),
        ('conv_transpose2d', 'F.deconvolution_2d'),
        ('conv_transpose3d', 'F.deconvolution_3d'),
        ('max_pool1d', 'F.max_pooling_1d'),
        ('max_pool2d', 'F.max_pooling_2d(x, 2, cover_all=False)'),
        ('max_pool3d', 'F.max_pooling_3d'),
        ('avg_pool1d', 'F.average_pooling_1d'),
        ('avg_pool2d', 'F.average_pooling_2d'),
        ('avg_pool3d', 'F.average_pooling_3d'),
        ('adaptive_avg_pool2d', 'F.average(x, axis=(2, 3)), for one place'),
        ('batch_norm', 'F.batch_normalization'),
        ('layer_norm', 'F.layer_normalization'),
        ('group_norm', 'F.group_normalization'),
        ('embedding', 'F.embed_id'),
        ('interpolate upsample', 'F.resize_images(x, (height, width))'),
        ('pixel_shuffle', 'F.depth2space'),
        ('unfold', 'F.im2col'),
        ('silu', 'F.swish'),
        ('scaled_dot_product_attention', 'L.MultiHeadAttention, a link'),
        ('hardsigmoid', 'F.hard_sigmoid'),
        ('hardtanh', 'F.clip(x, -1, 1)'),
        ('relu_', 'F.relu'),
        ('one_hot', 'numpy.eye(n)[labels]'),
        ('cat', 'F.concat'),
        ('bmm mm', 'F.matmul'),
        ('view', 'F.reshape(x, shape)'),
        ('permute', 'F.transpose(x, axes)'),
        ('unsqueeze', 'F.expand_dims(x, axis)'),
        ('chunk', 'F.split_axis'),
        ('unbind', 'F.separate'))),
    'chainer.links': ('torch.nn.', (
        ('Module', 'chainer.Chain'),
        ('ModuleList', 'chainer.ChainList'),
        ('ModuleDict', 'chainer.Chain'),
        ('Sequential', 'chainer.Sequential'),
        ('Conv1d', 'L.Convolution1D'),
        ('Conv2d Conv2D', 'L.Convolution2D'),
        ('Conv3d', 'L.Convolution3D'),
        ('ConvTranspose1d', 'L.Deconvolution1D'),
        ('ConvTranspose2d', 'L.Deconvolution2D'),
        ('ConvTranspose3d', 'L.Deconvolution3D'),
        ('LazyConv2d', 'L.Convolution2D(None, out_channels, ksize)'),
        ('Dense', 'L.Linear'),
        ('LazyLinear', 'L.Linear(None, out_size)'),
        ('Embedding', 'L.EmbedID'),
        ('BatchNorm1d BatchNorm2d BatchNorm3d', 'L.BatchNormalization'),
        ('LayerNorm', 'L.LayerNormalization'),
        ('GroupNorm', 'L.GroupNormalization'),
        ('RNN', 'L.NStepRNNTanh'),
        ('LSTMCell', 'L.StatelessLSTM'),
        ('GRUCell', 'L.StatelessGRU'),
        ('MultiheadAttention TransformerEncoderLayer',
         'L.MultiHeadAttention(n_heads, in_size), whose mask is True where it looks'),
        ('ReLU', 'F.relu, a function'),
        ('Mish', 'F.mish, a function'),
        ('LeakyReLU', 'F.leaky_relu, a function'),
        ('Sigmoid', 'F.sigmoid, a function'),
        ('Tanh', 'F.tanh, a function'),
        ('Softmax', 'F.softmax, a function'),
        ('Dropout', 'F.dropout(x, ratio), in forward()'),
        ('MaxPool2d', 'F.max_pooling_2d(x, 2, cover_all=False), in forward()'),
        ('AvgPool2d', 'F.average_pooling_2d(x, 2), in forward()'),
        ('Flatten', 'F.reshape(x, (len(x), -1)); L.Linear does so by itself'),
        ('Identity', 'F.identity, a function'),
        ('CrossEntropyLoss NLLLoss', 'F.softmax_cross_entropy(scores, labels)'),
        ('MSELoss', 'F.mean_squared_error(x, t)'),
        ('L1Loss', 'F.mean_absolute_error(x, t)'),
        ('BCEWithLogitsLoss', 'F.sigmoid_cross_entropy(scores, labels), of integers'),
        ('DataParallel', 'chainer.training.updaters.ParallelUpdater'))),
    'chainer.Variable': ('Tensor.', (
        ('detach', 'chainer.Variable(x.array)'),
        ('numpy', 'x.array, which is the array itself'),
        ('clone', 'F.copy(x, -1), or x.array.copy()'),
        ('tolist', 'x.array.tolist()'),
        ('view', 'x.reshape(shape)'),
        ('permute', 'x.transpose(axes)'),
        ('unsqueeze', 'F.expand_dims(x, axis)'),
        ('flatten', 'F.flatten(x), or x.reshape(len(x), -1)'),
        ('contiguous', 'nothing: arrays may have gaps'),
        ('expand', 'F.broadcast_to(x, shape)'),
        ('repeat', 'F.tile(x, reps)'),
        ('dim', 'x.ndim'),
        ('sum', 'F.sum(x)'),
        ('softmax', 'F.softmax(x)'),
        ('masked_fill', 'F.where(condition, a, b)'),
        ('float half double long', 'F.cast(x, numpy.float32)'),
        ('to cuda', "x.to_device('@cupy:0')"),
        ('cpu', "x.to_device('@numpy')"),
        ('requires_grad_', 'chainer.Variable(array, requires_grad=True), the default'),
        ('retain_grad', 'y.backward(retain_grad=True)'),
        ('register_hook', 'chainer.FunctionHook'),
        ('grad_fn', 'x.creator'),
        ('zero_ add_ mul_ copy_', 'x.array[...] = value, outside of the graph'))),
    'chainer.Link': ('Module.', (
        ('train', "chainer.config.train = True, the default"),
        ('eval', "with chainer.using_config('train', False):"),
        ('training', 'chainer.config.train'),
        ('parameters', 'model.params(); an optimizer takes the model, '
                       'optimizer.setup(model)'),
        ('named_parameters', 'model.namedparams()'),
        ('modules', 'model.links()'),
        ('named_modules', 'model.namedlinks()'),
        ('zero_grad', 'model.cleargrads()'),
        ('state_dict', 'chainer.serializers.save_npz(path, model)'),
        ('load_state_dict', 'chainer.serializers.load_npz(path, model); of PyTorch\'s '
                            'weights, chainer.interop.torch.load_torch_state_dict'),
        ('to cuda', "model.to_device('@cupy:0')"),
        ('cpu', "model.to_device('@numpy')"),
        ('requires_grad_', 'model.disable_update()'),
        ('register_buffer', 'model.add_persistent(name, value)'),
        ('register_parameter', 'assign a chainer.Parameter inside of '
                               '`with self.init_scope():`'),
        ('add_module', 'model.add_link(name, link)'),
        ('register_forward_hook', 'model.add_hook(chainer.LinkHook)'))),
    'chainer.Optimizer': ('Optimizer.', (
        ('step', 'optimizer.update()'),
        ('zero_grad', 'model.cleargrads()'),
        ('param_groups', 'optimizer.lr, or param.update_rule.hyperparam of one'),
        ('state_dict', 'chainer.serializers.save_npz(path, optimizer)'),
        ('load_state_dict', 'chainer.serializers.load_npz(path, optimizer)'))),
}

#: Maps names of other frameworks to arguments of links, functions and optimizers,
#: and to configuration entries. Of several names, the first one that exists is used.
ARGUMENTS: dict[str, str] = {
    'alpha': 'lr', 'betas': 'beta1', 'bias': 'nobias', 'dilation': 'dilate',
    'dim': 'axis', 'in_features': 'in_size', 'input_size': 'in_size',
    'hidden_size': 'out_size', 'kernel_size': 'ksize', 'learning_rate': 'lr alpha',
    'lr': 'alpha', 'num_layers': 'n_layers', 'out_features': 'out_size', 'p': 'ratio',
    'padding': 'pad', 'rate': 'ratio', 'strides': 'stride',
    'reduction': 'reduce', 'ignore_index': 'ignore_label',
    'weight_decay': 'weight_decay_rate',
    'enable_grad': 'enable_backprop', 'grad_enabled': 'enable_backprop',
    'training': 'train', 'is_training': 'train'}


#: Advice for arguments that have no counterpart.
OF_ARGUMENTS: dict[str, str] = {
    'batch_first': 'a list of arrays (length, in_size) takes the place of a batch',
    'bidirectional': 'L.NStepBiLSTM, L.NStepBiGRU',
    'inplace': 'nothing: no function works in place',
    'momentum': 'chainer.optimizers.MomentumSGD',
    'nesterov': 'chainer.optimizers.NesterovAG',
    'params': 'optimizer.setup(model)',
    'training': "chainer.using_config('train', value)",
    'weight_decay': 'optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(rate))'}

#: Classes of initializers, by parts of their names in other frameworks.
INITIALIZERS: dict[str, str] = {
    'glorot': 'GlorotUniform', 'he': 'HeNormal', 'kaiming': 'HeNormal',
    'lecun': 'LeCunNormal', 'normal': 'Normal', 'ones': 'One',
    'orthogonal': 'Orthogonal', 'uniform': 'Uniform', 'xavier': 'GlorotUniform',
    'zeros': 'Zero'}


def initializer(name: str) -> str:
    """Return the initializer class for another framework's name, or a guess."""
    return next((found for part, found in INITIALIZERS.items() if part in name.lower()),
                'HeNormal')


def instead(owner: str, name: str) -> str | None:
    """Return what to write here for a name of PyTorch, or None.

    Parameters
    ----------
    owner : str
        A key of ``TABLE``.
    name : str
        The name in PyTorch.
    """
    _, rows = TABLE.get(owner, ('', ()))
    found = next((words for names, words in rows if name in names.split()), None)
    if found is None and owner == 'chainer.links' and _is_activation(name.lower()):
        return 'F.%s, a function' % name.lower()    # PyTorch has a class for each
    return found


def _is_activation(name):
    functions = sys.modules.get('chainer_fast.functions')    # None while it is imported
    function = vars(functions).get(name) if functions else None
    return getattr(function, '__module__', '').startswith(
        'chainer_fast.functions.activation.')


def words(owner: str, name: str) -> str | None:
    """Return the end of an error message for a name of PyTorch, or None."""
    found = instead(owner, name)
    return None if found is None else 'which is a name of PyTorch: write %s' % (
        found.replace('F.', 'chainer.functions.').replace('L.', 'chainer.links.'))


def names(owner: str) -> list[str]:
    """Return PyTorch's names for which an owner has a row."""
    return [name for row, _ in TABLE[owner][1] for name in row.split()]


def called_here(name: str) -> list[str]:
    """Return counterparts of a name: arguments, functions, links."""
    found = ARGUMENTS.get(name, '').split()
    for owner in 'chainer.functions', 'chainer.links':
        match = re.match(r'(?:F|L|chainer)\.(\w+)', instead(owner, name) or '')
        if match is not None:
            found.append(match[1])
    return found
