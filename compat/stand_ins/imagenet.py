"""Networks for ImageNet, which read a folder of pictures and a list with classes."""
from stand_ins import images
from stand_ins.run import Run

# Larger than the crops of all networks.
_SIZE = 232, 240


def _prepare(folder, cache):
    names = ['%d.jpg' % i for i in range(6)]
    images.put_pictures(folder / 'pictures', names, _SIZE)
    for target, part in ('train.txt', names[:4]), ('val.txt', names[4:]):
        (folder / target).write_text(
            ''.join('%s %d\n' % (name, i) for i, name in enumerate(part)))


def _train(arch, *more, **options):
    return Run(
        'imagenet/train_imagenet.py',
        ('train.txt', 'val.txt', '--root', 'pictures', '--mean', 'computed_mean.npy',
         '--arch', arch, '--epoch', '1', '--batchsize', '2', '--val_batchsize', '2',
         '--loaderjob', '2', '--out', arch, *more), **options)


# With --test they evaluate and save in each iteration, which would be hundreds of
# megabytes for the others.
_TRAINED = [
    _train('nin', '--test', prints=r'validation/main/loss(.|\n)*\n1 +2 +\d',
           produces=('nin/log', 'nin/cg.dot', 'nin/model_iter_2'),
           then=(_train('nin', '--initmodel', 'nin/model_iter_2',
                        prints='Load model from'),)),
] + [
    _train(arch, produces=(arch + '/cg.dot',))
    for arch in ('alex', 'googlenet', 'googlenetbn', 'resnet50', 'resnext50')
] + [_train('resnet50_nhwc', excused='needs cuDNN')]

RUNS = [
    Run('imagenet/compute_mean.py',
        ('train.txt', '--root', 'pictures', '--output', 'computed_mean.npy'), _prepare,
        needs=('PIL',), produces=('computed_mean.npy',), then=tuple(_TRAINED)),
    Run('imagenet/train_imagenet_data_parallel.py',
        excused='needs a GPU for each process, and NCCL'),
]
