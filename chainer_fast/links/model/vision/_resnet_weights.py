"""Transfer of weights from the authors' caffemodels of residual networks."""
import string

# Branches of a residual unit in Caffe, in the order of the convolutions here.
_BRANCHES = 'branch2a', 'branch2b', 'branch2c', 'branch1'


def _copy(src, conv, bn, names):
    """Copy a convolution and its normalization, which Caffe splits into two layers."""
    src_conv, src_bn, src_scale = [src[name] for name in names]
    conv.W.array[...] = src_conv.W.array
    if conv.b is not None and src_conv.b is not None:
        conv.b.array[...] = src_conv.b.array
    bn.avg_mean[...] = src_bn.avg_mean
    bn.avg_var[...] = src_bn.avg_var
    bn.gamma.array[...] = src_scale.W.array
    bn.beta.array[...] = src_scale.bias.b.array


def _unit_names(n_layers, count):
    """Return the names of ``count`` units in a row.

    The names are letters; the larger networks number the units of their longer rows.
    """
    if n_layers == 50 or count == 3:
        return list(string.ascii_lowercase[:count])
    return ['a'] + ['b%d' % i for i in range(1, count)]


def transfer(src, dst, n_layers):
    """Copy the weights of a Caffe network.

    Parameters
    ----------
    src : chainer_fast.links.caffe.CaffeFunction
        The Caffe network.
    dst : ResNetLayers
        The network to fill.
    n_layers : int
        50, 101 or 152, the number of its layers.
    """
    _copy(src, dst.conv1, dst.bn1, ('conv1', 'bn_conv1', 'scale_conv1'))
    for stage in range(2, 6):
        units = dst['res%d' % stage]
        names = _unit_names(n_layers, len(units._forward))
        for unit, name in zip(units._forward, names, strict=True):
            # Only the first unit of a row has the fourth branch.
            for i, branch in enumerate(_BRANCHES[:4 if unit == 'a' else 3], 1):
                place = '%d%s_%s' % (stage, name, branch)
                _copy(src, units[unit]['conv%d' % i], units[unit]['bn%d' % i],
                      ('res' + place, 'bn' + place, 'scale' + place))
    dst.fc6.W.array[...] = src['fc1000'].W.array
    dst.fc6.b.array[...] = src['fc1000'].b.array
