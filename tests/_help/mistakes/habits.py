"""Names that PyTorch has, and what is here instead."""
from tests._help.mistakes.case import Case

_NAMES = [
    ('F.cross_entropy(x, t)', 'softmax_cross_entropy'),
    ('F.mse_loss(x, x)', 'mean_squared_error'),
    ('F.max_pool2d(image, 2)', 'max_pooling_2d'),
    ('F.conv2d(image, image)', 'convolution_2d'),
    ('F.interpolate(image)', 'resize_images'),
    ('L.Conv2d(3, 4, 3)', 'links.Convolution2D'),
    ('L.BatchNorm2d(3)', 'links.BatchNormalization'),
    ('L.Embedding(3, 4)', 'links.EmbedID'),
    ('L.ReLU()', 'functions.relu'),
    ('L.Module', 'chainer.Chain'),
    ('L.CrossEntropyLoss()', 'softmax_cross_entropy'),
    ('chainer.no_grad()', 'no_backprop_mode()'),
    ('chainer.tensor([1.])', 'chainer.Variable(array)'),
    ('chainer.manual_seed(0)', 'numpy.random.seed(0)'),
    ('chainer.save(model, folder)', 'save_npz'),
    ('chainer.nn.Linear(3, 4)', 'chainer.links'),
    ('chainer.Variable(x).detach()', 'chainer.Variable(x.array)'),
    ('chainer.Variable(x).view(3, 2)', 'x.reshape(shape)'),
    ('chainer.Variable(x).numpy()', 'x.array'),
    ("chainer.Variable(x).to('cuda')", 'x.to_device('),
    ('chainer.Variable(x).unsqueeze(0)', 'expand_dims'),
    ('chainer.Variable(x).sum()', 'functions.sum(x)'),
    ('model.train()', 'chainer.config.train = True'),
    ('model.eval()', "using_config('train', False)"),
    ('model.parameters()', 'optimizer.setup(model)'),
    ('model.zero_grad()', 'model.cleargrads()'),
    ('model.state_dict()', 'save_npz(path, model)'),
    ('model.load_state_dict({})', 'load_npz(path, model)'),
    ("model.to('cuda')", 'model.to_device('),
    ('optimizer.step()', 'optimizer.update()'),
    ('optimizer.zero_grad()', 'model.cleargrads()'),
]
CASES = (
    *[Case("PyTorch's " + code, code, ('has no attribute', 'PyTorch', instead),
           ('what', 'silent', 'cure')) for code, instead in _NAMES],
    Case("PyTorch's import of a layer",
         '''
         import importlib
         exec('from %s.links import Conv2d' % chainer.__name__)
         ''',
         ('Conv2d', 'PyTorch', 'links.Convolution2D'), ('what', 'silent', 'cure')),
    Case("PyTorch's rate of Adam",
         'optimizers.Adam(lr=0.1)', ('Adam', "'lr'", "'alpha'"),
         ('what', 'silent', 'cure')),
    Case("PyTorch's decay of weights",
         'optimizers.SGD(weight_decay=0.1)',
         ('SGD', 'weight_decay', 'add_hook', 'WeightDecay'),
         ('what', 'silent', 'cure')),
    Case("PyTorch's momentum",
         'optimizers.SGD(momentum=0.9)', ('SGD', 'momentum', 'MomentumSGD'),
         ('what', 'silent', 'cure')),
    Case("PyTorch's name of the mode",
         '''
         with chainer.using_config('training', False):
             pass
         ''',
         ("'training'", "'train'"), ('silent', 'silent', 'cure')),
    Case('a module of PyTorch for an optimizer',
         '''
         Module = type('Module', (), {'named_parameters': None})
         optimizer.setup(Module())
         ''',
         ('link', 'Module', 'ModuleLink'), ('what', 'silent', 'cure')),
    Case('a tensor of PyTorch for a convolution',
         '''
         Tensor = type('Tensor', (), {
             '__module__': 'torch', 'shape': (2, 3, 8, 8), 'ndim': 4,
             'layout': 'torch.strided'})
         L.Convolution2D(3, 4, 3)(Tensor())
         ''',
         ('torch.Tensor', 'from_torch'), ('what', 'silent', 'cure')),
    Case('a file of PyTorch',
         '''
         import zipfile
         with zipfile.ZipFile(folder + '/x.pt', 'w') as file:
             file.writestr('x/data.pkl', b'')
         chainer.serializers.load_npz(folder + '/x.pt', model)
         ''',
         ('x.pt', 'file of PyTorch', 'load_torch_state_dict'),
         ('what', 'silent', 'cure')),
)
