"""Translation of images, from pairs of a photograph and a map of a facade's parts."""
import numpy

from stand_ins import images
from stand_ins.run import Run

_SIZE = 286, 290
_PARTS = 12


def _prepare(folder, cache):
    from PIL import Image

    base = folder / 'facade' / 'base'
    numbers = range(1, 379)         # as the script assumes
    images.put_pictures(base, ['cmp_b%04d.jpg' % i for i in numbers], _SIZE)
    columns = numpy.arange(_SIZE[1]) * _PARTS // _SIZE[1] + 1
    for i in numbers:
        parts = numpy.broadcast_to(numpy.roll(columns, i), _SIZE).astype(numpy.uint8)
        Image.fromarray(parts).save(base / ('cmp_b%04d.png' % i))


RUNS = [
    Run('pix2pix/train_facade.py', ('--display_interval', '1', '--out', 'result'),
        _prepare, needs=('PIL',), prints=r'enc/loss +dec/loss +dis/loss',
        produces=('result/log',), enough=r'\n0 +3 +\d',
        note='ended after 3 iterations of the 299 of an epoch'),
]
