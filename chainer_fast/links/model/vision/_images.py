"""Images as the inputs of networks."""
import numpy

from chainer_fast._help import installation
from chainer_fast.backends.dtypes import get_dtype

try:
    from PIL import Image
    available = True
    _import_error = None
except ImportError as e:
    available = False
    _import_error = e


def prepare(image, size, mean):
    """Convert an image to an input of a network.

    Parameters
    ----------
    image : PIL.Image.Image or numpy.ndarray
        Image, or an array of shape ``(height, width)``, ``(height, width, channels)``,
        ``(3, height, width)`` or ``(1, height, width)`` with numbers from 0 to 255.
    size : (int, int) or None
        Width and height of the result; those of the image if None.
    mean : sequence of float
        Values subtracted from blue, green and red.

    Returns
    -------
    numpy.ndarray, shape (3, height, width)
        Blue, green and red in the dtype of the configuration.

    Raises
    ------
    ImportError
        If Pillow is not installed.
    """
    if not available:
        raise ImportError(
            'Pillow is needed for images: %s (%s)' % (
                installation.install('images'), _import_error))
    dtype = get_dtype()
    if isinstance(image, numpy.ndarray):
        image = _from_array(image)
    rgb = image.convert('RGB')
    if size:
        rgb = rgb.resize(size)
    bgr = numpy.asarray(rgb, dtype)[..., ::-1] - numpy.array(mean, dtype)
    return bgr.transpose(2, 0, 1)


def _from_array(array):
    if array.ndim == 3 and array.shape[0] in (1, 3):
        array = array[0] if len(array) == 1 else numpy.moveaxis(array, 0, 2)
    return Image.fromarray(array.astype(numpy.uint8))
