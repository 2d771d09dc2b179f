"""Examples of chainermn, in jobs of two and of four processes."""
from stand_ins import cifar, images, mnist, seq2seq
from stand_ins.run import Run

_JOB = ('mpi4py',)
_TABLE = r'(?s)epoch .*main/loss .*\n *%d +\d'     # of PrintReport


def _train(script, *arguments, processes=2, needs=(), **options):
    return Run('chainermn/' + script, arguments, needs=(*_JOB, *needs),
               processes=processes, **options)


_SMALL = ('--unit', '20', '--batchsize', '25', '--epoch')
_OUTPUTS = ('result/log', 'result/cg.dot')

_MNIST = [
    _train('mnist/train_mnist.py', '--communicator', 'naive', *_SMALL, '2',
           prepare=mnist.prepare, prints=_TABLE % 2, produces=_OUTPUTS),
    _train('mnist/train_mnist_model_parallel.py', *_SMALL, '2',
           prepare=mnist.prepare, prints=_TABLE % 2, produces=_OUTPUTS),
    _train('mnist/train_mnist_dual_parallel.py', *_SMALL, '2', processes=4,
           prepare=mnist.prepare, prints=_TABLE % 2, produces=_OUTPUTS),
]

_CIFAR = [
    _train('cifar/train_cifar.py', '--batchsize', '5', '--epoch', '1',
           prepare=cifar.prepare, prints='Num epoch: 1',
           own_fault='TypeError: .*as an integer'),
    # Its links forget how many channels all processes have.
    _train('parallel_convolution/train.py', '--batchsize', '10', '--epoch', '1',
           needs=('matplotlib',), prepare=cifar.prepare, prints='# epoch: 1',
           own_fault=r'Actual: \d != \d'),
]

_GAN = ('--communicator', 'naive', '--batchsize', '2', '--n_hidden', '10',
        '--display_interval', '1', '--snapshot_interval', '4', '--epoch')

_DCGAN = [
    _train('dcgan/train_dcgan.py', *_GAN, '1', needs=('PIL',), prepare=cifar.prepare,
           prints=r'gen/loss.*dis/loss',
           produces=('result/log', 'result/preview/image00000004.png'), then=(
        _train('dcgan/train_dcgan.py', *_GAN, '1', '--gen_model',
               'result/gen_iter_4.npz', '--dis_model', 'result/dis_iter_4.npz',
               prints='gen/loss'),
    )),
]


def _pictures(folder, cache):
    names = ['%d.jpg' % i for i in range(2)]
    images.put_pictures(folder / 'pictures', names, (16, 24))
    (folder / 'train.txt').write_text(
        ''.join('%s %d\n' % (name, i) for i, name in enumerate(names)))


_IMAGENET = [
    Run('chainermn/imagenet/compute_mean.py',
        ('train.txt', '--root', 'pictures', '--output', 'computed_mean.npy'), _pictures,
        needs=('PIL',), produces=('computed_mean.npy',)),
    _train('imagenet/train_imagenet.py', excused='needs a GPU for each process'),
]


def _sentences(folder, cache):
    (folder / 'wmt' / 'dev').mkdir(parents=True, exist_ok=True)
    seq2seq.put_translations(folder / 'wmt', 'giga-fren.release2.fixed', 40, 0)
    seq2seq.put_translations(folder / 'wmt' / 'dev', 'newstest2013', 4, 1)


# The evaluator has no iterator, and Chainer ends it all the same.
_TRANSLATION = {
    'needs': ('nltk', 'progressbar', 'six'),
    'prints': r'(?s)start training.*epoch .*main/perp.*\n *1 +\d',
    'own_fault': 'AttributeError: .*finalize.'}

_SEQ2SEQ = [
    Run('chainermn/seq2seq/europal.py', (), _sentences, needs=('progressbar',),
        prints=r'# of tokens: \d', then=tuple(
            _train('seq2seq/' + script, '--unit', '12', '--batchsize', '10',
                   '--stop', '2e', **_TRANSLATION)
            for script in ('seq2seq.py', 'seq2seq_mp1.py'))),
]

RUNS = _MNIST + _CIFAR + _DCGAN + _IMAGENET + _SEQ2SEQ
