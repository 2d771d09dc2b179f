"""Perceptrons and the variational autoencoder, which read MNIST."""
from stand_ins import images
from stand_ins.run import Run


def prepare(folder, cache):
    """Write MNIST to Chainer's cache of downloads."""
    images.put_mnist(cache)


_SMALL = ('--unit', '20', '--batchsize', '50')
_TABLE = r'(?s)epoch .*main/loss .*\n *2 +\d'       # of PrintReport, two epochs
_OUTPUTS = ('log', 'cg.dot')
_PLOTS = ('loss.png', 'accuracy.png')


def _in(folder, names):
    return tuple(folder + '/' + name for name in names)


_INFERENCE = r'Prediction: (array\()?\d.*\nAnswer: \d'

_PERCEPTRONS = [
    Run('mnist/train_mnist.py', ('--epoch', '2', '--frequency', '1', *_SMALL), prepare,
        needs=('matplotlib',), prints=_TABLE,
        produces=_in('result', (*_OUTPUTS, *_PLOTS, 'snapshot_iter_12')),
        then=(
            Run('mnist/inference.py',
                ('--snapshot', 'result/snapshot_iter_12', '--unit', '20'),
                prints=_INFERENCE),
            Run('mnist/train_mnist.py',
                ('--epoch', '3', '--resume', 'result/snapshot_iter_12', *_SMALL),
                prints=r'\n *3 +\d', produces=('result/snapshot_iter_18',)),
            Run('mnist/train_mnist.py', ('--epoch', '4', '--autoload', *_SMALL),
                prints=r'\n *4 +\d', produces=('result/snapshot_iter_24',)),
        )),
    Run('mnist/train_mnist_custom_loop.py', ('--epoch', '2', *_SMALL), prepare,
        needs=('matplotlib',), produces=('result/mlp.model', 'result/mlp.state'),
        prints=r'epoch: 2\n.*\ntest mean  loss: \d',
        then=(
            Run('mnist/train_mnist_custom_loop.py',
                ('--epoch', '1', '--resume', 'result', *_SMALL), prints='epoch: 1'),
            Run('mnist/inference.py',
                ('--snapshot', 'result/mlp.model', '--unit', '20'), prints=_INFERENCE),
        )),
    Run('mnist/train_mnist_model_parallel.py',
        ('--epoch', '2', '--device0', '-1', '--device1', '-1', *_SMALL), prepare,
        needs=('matplotlib',), prints=_TABLE,
        produces=_in('result_model_parallel', _OUTPUTS)),
    Run('mnist/train_mnist_data_parallel.py',
        ('--epoch', '2', '--device0', '-1', '--device1', '-1', *_SMALL), prepare,
        needs=('matplotlib',), prints=_TABLE,
        produces=_in('result_data_parallel', _OUTPUTS)),
    Run('mnist/train_mnist_data_parallel_updater.py',
        excused='needs a GPU for each process, and NCCL'),
]

_VAE = [
    Run('vae/train_vae.py',
        ('--epoch', '2', '--dim-h', '20', '--dim-z', '4', '--batch-size', '50', *more),
        prepare, needs=('matplotlib',), prints=_TABLE,
        produces=_in('results', (
            *_OUTPUTS, 'snapshot_iter_*', 'train.png', 'test_reconstructed.png',
            'sampled.png')))
    for more in [(), ('--binary', '--k', '3', '--beta', '0.5')]
]

RUNS = _PERCEPTRONS + _VAE
