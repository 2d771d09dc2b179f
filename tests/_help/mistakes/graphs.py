"""Gradients, optimizers and the configuration."""
from tests._help.mistakes.case import Case

CASES = (
    Case('backward() of an array without a gradient',
         'model.predictor(x).backward()',
         ('(2, 3)', 'grad', 'chainer.functions.sum'),
         ('obscure', 'clear', 'cure'),
         'model(x).backward()'),
    Case('a gradient of the wrong shape',
         '''
         y = chainer.Variable(x)
         y.grad = np.ones(3, np.float32)
         ''',
         ('(3,)', '(2, 3)'),
         ('clear', 'clear', 'clear'),
         'x.grad = torch.ones(3)'),
    Case('a gradient of the wrong dtype',
         '''
         y = chainer.Variable(x)
         y.grad = np.ones((2, 3))
         ''',
         ('float64', 'float32'),
         ('clear', 'clear', 'clear'),
         'x.grad = torch.ones(2, 3, dtype=torch.float64)'),
    Case('a second derivative that is not defined',
         '''
         v = chainer.Variable(x)
         loss = F.softmax_cross_entropy(v, t)
         gv, = chainer.grad([loss], [v], enable_double_backprop=True)
         chainer.grad([F.sum(gv * gv)], [v])
         ''',
         ('softmax_cross_entropy', 'enable_double_backprop=True'),
         ('cure', 'silent', 'cure')),
    Case('an array for backward()',
         'chainer.backward([x])',
         ('numpy.ndarray', 'Variable'),
         ('what', 'what', 'clear'),
         'torch.autograd.backward([x.numpy()])'),
    Case('an optimizer without setup()',
         'optimizer.update()',
         ('SGD', 'setup'),
         ('obscure', 'clear', 'cure'),
         'torch.optim.SGD()'),
    Case('an optimizer without setup(), with a loss',
         'optimizer.update(model, x, t)',
         ('SGD', 'setup'),
         ('obscure', 'clear', 'cure'),
         'torch.optim.SGD()'),
    Case('setup() of a class',
         'optimizer.setup(MLP)',
         ('class MLP', 'MLP()'),
         ('what', 'what', 'cure'),
         'torch.optim.SGD(nn.Linear)'),
    Case('setup() of parameters',
         'optimizer.setup(list(model.params()))',
         ('list', 'link'),
         ('clear', 'clear', 'clear'),
         'torch.optim.SGD(model)'),
    Case('a hook before setup()',
         'optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.1))',
         ('setup',),
         ('cure', 'cure', 'cure')),
    Case('a loss for update()',
         'optimizer.setup(model).update(model(x, t))',
         ('Variable', 'function', 'backward()'),
         ('obscure', 'what', 'cure'),
         'torch.optim.SGD(model.parameters()).step(model(x).sum())'),
    Case('a loss function that returns an array',
         'optimizer.setup(model).update(lambda: model(x, t).array)',
         ('numpy.ndarray', 'Variable'),
         ('obscure', 'what', 'clear'),
         'model(x).sum().numpy().backward()'),
    Case('a mistyped argument of an optimizer',
         'optimizers.Adam(aplha=0.1)',
         ('Adam', 'aplha'),
         ('what', 'what', 'what'),
         'torch.optim.Adam(model.parameters(), lrr=0.1)'),
    Case('a link outside of init_scope()',
         '''
         class Net(chainer.Chain):
             def __init__(self):
                 super().__init__()
                 with self.init_scope():
                     self.l1 = L.Linear(3, 4)
                 self.l2 = L.Linear(4, 2)
         optimizer.setup(Net())
         ''',
         ('Net.l2', 'Linear', 'init_scope'),
         ('silent', 'silent', 'cure')),
    Case('a list of links in a chain',
         '''
         class Net(chainer.Chain):
             def __init__(self):
                 super().__init__()
                 with self.init_scope():
                     self.l1 = L.Linear(3, 4)
                     self.rest = [L.Linear(4, 4), L.Linear(4, 2)]
         optimizer.setup(Net())
         ''',
         ('Net.rest', 'Linear', 'ChainList'),
         ('silent', 'silent', 'cure'),
         '''
         class Net(nn.Module):
             def __init__(self):
                 super().__init__()
                 self.l1 = nn.Linear(3, 4)
                 self.rest = [nn.Linear(4, 4), nn.Linear(4, 2)]
         torch.optim.SGD(Net().parameters())
         '''),
    Case('a model without parameters',
         'optimizer.setup(chainer.Chain())',
         ('Chain', 'no parameters', 'init_scope'),
         ('silent', 'clear', 'cure'),
         'torch.optim.SGD(nn.Module().parameters())'),
    Case('a mistyped name of the configuration',
         '''
         with chainer.using_config('trian', False):
             pass
         ''',
         ('trian', 'train'),
         ('silent', 'clear', 'cure'),
         'torch.set_grad_enable(False)'),
    Case('a mistyped entry of the configuration',
         'chainer.config.enable_backporp = False',
         ('enable_backporp', 'enable_backprop'),
         ('silent', 'silent', 'cure'),
         'torch.backends.cudnn.benchmrk = True'),
    Case('a mistyped entry that is read',
         'chainer.config.debgu',
         ('debgu',),
         ('what', 'silent', 'what'),
         'torch.backends.cudnn.benchmrk'),
    Case('a device that does not exist',
         "chainer.get_device('gpu:0')",
         ('gpu:0', '@cupy:0'),
         ('what', 'clear', 'cure'),
         "torch.device('gpu:0')"),
    Case('a GPU without CuPy',
         'model.to_gpu()',
         ('CuPy',),
         ('clear', 'clear', 'clear'),
         'model.cuda()'),
    Case('a class for a hook of an optimizer',
         '''
         optimizer.setup(model)
         optimizer.add_hook(chainer.optimizer_hooks.WeightDecay)
         ''',
         ('class WeightDecay', 'an object', 'WeightDecay()'),
         ('silent', 'silent', 'cure')),
)
