"""The VGG-like network and DCGAN, which read CIFAR or a folder of pictures."""
from stand_ins import images
from stand_ins.run import Run


def prepare(folder, cache):
    """Write CIFAR-10 and CIFAR-100 to Chainer's cache of downloads."""
    images.put_cifar(cache)


def _pictures(folder, cache):
    names = ['%d.%s' % (i, 'png' if i % 2 else 'jpg') for i in range(8)]
    images.put_pictures(folder / 'pictures', names, (32, 32))


_SMALL = ('--batchsize', '10', '--epoch')
_TABLE = r'(?s)epoch .*main/loss .*\n *1 +\d'

_CIFAR = [
    Run('cifar/train_cifar.py', (*_SMALL, '1'), prepare, prints=_TABLE,
        produces=('result/log', 'result/cg.dot', 'result/snaphot_epoch_1'),
        then=(
            Run('cifar/train_cifar.py',
                (*_SMALL, '2', '--resume', 'result/snaphot_epoch_1'),
                prints=r'\n *2 +\d', produces=('result/snaphot_epoch_2',)),
        )),
    Run('cifar/train_cifar.py',
        (*_SMALL, '2', '--dataset', 'cifar100',
         '--early-stopping', 'validation/main/loss'),
        prepare, prints=_TABLE, produces=('result/snaphot_epoch_2',)),
    Run('cifar/train_cifar_custom_loop.py', (*_SMALL, '1'), prepare,
        prints=r'epoch: 1\n.*\ntest mean  loss: \d',
        produces=('result/vgg.model', 'result/vgg.state'),
        then=(
            Run('cifar/train_cifar_custom_loop.py',
                (*_SMALL, '1', '--test', '--resume', 'result')),
        )),
]

_GAN = ('--batchsize', '4', '--epoch', '2', '--n_hidden', '10',
        '--display_interval', '1', '--snapshot_interval')

_DCGAN = [
    Run('dcgan/train_dcgan.py', (*_GAN, '5'), prepare, needs=('PIL',),
        prints=r'gen/loss.*dis/loss',
        produces=('result/log', 'result/preview/image00000010.png',
                  'result/gen_iter_10.npz', 'result/snapshot_iter_10.npz'),
        then=(
            Run('dcgan/train_dcgan.py',
                (*_GAN, '5', '--resume', 'result/snapshot_iter_5.npz'),
                prints='gen/loss'),
        )),
    Run('dcgan/train_dcgan.py', (*_GAN, '4', '--dataset', 'pictures'), _pictures,
        needs=('PIL',), prints='pictures contains 8 image files',
        produces=('result/preview/image00000004.png',)),
]

RUNS = _CIFAR + _DCGAN
