# Chainer 1.24, Python 3.6, --legacy=v1
"""Features of networks that come with Chainer; they ran in test mode by default."""
import numpy as np

import chainer
import chainer.links as L

np.random.seed(0)
image = np.random.rand(1, 3, 224, 224).astype(np.float32)
model = L.GoogLeNet(pretrained_model=None)
x = chainer.Variable(image, volatile='on')  # removed: chainer.Variable(volatile=)
h = model(x, layers=['pool1', 'conv2'])  # removed: chainer.links.GoogLeNet in test mode by default
print('%.4f' % float(np.abs(h['conv2'].data).mean()))
h = model(x, layers=['pool1'], train=False)  # removed: chainer.links.GoogLeNet.__call__(train=)
print('%.5f' % float(np.abs(h['pool1'].data).mean()))
pixels = (image[0] * 255).astype(np.uint8).transpose(1, 2, 0)
h = model.extract([pixels], layers=['conv1'], train=False, volatile='on')['conv1']  # removed: chainer.links.GoogLeNet.extract(train=); chainer.links.GoogLeNet.extract(volatile=)
print('%.4f %s' % (float(np.abs(h.data).mean()), h.creator))
model = L.ResNet50Layers(pretrained_model=None)  # removed: chainer.links.BatchNormalization with a running variance from 0
h = model(x, layers=['conv1'], test=True)['conv1']  # removed: chainer.links.ResNet50Layers.__call__(test=)
print('%.4f' % float(np.abs(h.data).mean()))
h = model(x, layers=['pool1'])['pool1']  # removed: chainer.links.ResNet50Layers in test mode by default
print('%.2f' % float(np.log(np.abs(h.data).mean())))
