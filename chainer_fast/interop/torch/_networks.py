"""Names of children in PyTorch and torchvision that differ from those of links."""
from chainer_fast.links.model.vision import vgg
from chainer_fast.links.model.vision.googlenet import GoogLeNet
from chainer_fast.links.model.vision.resnet import (
    BottleneckA,
    BuildingBlock,
    ResNetLayers,
)
from chainer_fast.links.rnn.gru import GRUBase
from chainer_fast.sequential import Sequential


def child_names(link):
    """Return the names in the module of children that have other names there.

    Raises
    ------
    ValueError
        If the module with these names computes something else.
    """
    if isinstance(link, ResNetLayers):
        return {'fc6': 'fc', **{'res%d' % (i + 1): 'layer%d' % i for i in range(1, 5)}}
    if isinstance(link, BuildingBlock):
        return {name: str(i) for i, name in enumerate(link._forward)}
    if isinstance(link, BottleneckA):
        if link.conv1.stride != (1, 1):
            raise ValueError(
                'torchvision has the stride of a residual unit in the second '
                'convolution, and this network in the first one: create it with '
                'downsample_fb=True')
        return {'conv4': 'downsample.0', 'bn4': 'downsample.1'}
    if isinstance(link, vgg.VGGLayers):
        return _vgg_names(link)
    if isinstance(link, Sequential):
        # There, functions are also modules with indices. Children are not in the order
        # of the layers.
        positions: dict = {}
        for i, layer in enumerate(link):
            positions.setdefault(id(layer), []).append(str(i))
        return {name: positions[id(child)].pop(0)
                for name, child in link._named_children()}
    return {}


def _vgg_names(link):
    names = {'fc6': 'classifier.0', 'fc7': 'classifier.3', 'fc8': 'classifier.6'}
    # Each convolution is followed by a rectifier, each group of convolutions by
    # pooling.
    position = 0
    for group in range(1, 6):
        for number in range(1, 5):
            name = 'conv%d_%d' % (group, number)
            if hasattr(link, name):
                names[name] = 'features.%d' % position
                position += 2
        position += 1
    return names


def hint(link):
    """Return a sentence on why the names of a module may not match."""
    for part in link.links():
        if isinstance(part, GoogLeNet):
            return (' torchvision\'s GoogLeNet is another network, with batch '
                    'normalization: no weights of it fit.')
        if isinstance(part, GRUBase):
            return (' torch.nn.GRU computes a different formula than links.GRU; '
                    'links.NStepGRU computes the same one.')
    return ''
