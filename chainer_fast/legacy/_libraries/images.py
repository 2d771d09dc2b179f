"""The image functions that SciPy used to have, implemented by Pillow."""
import numpy

_FILTERS = {'nearest': 0, 'lanczos': 1, 'bilinear': 2, 'bicubic': 3, 'cubic': 3}


def bytescale(data, cmin=None, cmax=None, high=255, low=0):
    """Scale an array to bytes; an array of bytes is returned unchanged."""
    if data.dtype == numpy.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError(
            'low and high must be in order, from 0 to 255, not %r and %r' % (low, high))
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    if cmax < cmin:
        raise ValueError('cmax must be larger than cmin, not %r and %r'
                         % (cmax, cmin))
    scaled = _scale(data, cmin, cmax, high, low)
    return (scaled.clip(low, high) + 0.5).astype(numpy.uint8)


def _scale(data, cmin, cmax, high, low):
    return (data - cmin) * (float(high - low) / (float(cmax) - float(cmin) or 1)) + low


def _channels_last(arr, channel_axis):
    if channel_axis is None:
        channel_axis = next((axis for size in (3, 4) for axis in range(3)
                             if arr.shape[axis] == size), None)
    if channel_axis is None or arr.shape[channel_axis] not in (3, 4):
        raise ValueError('a picture has 3 or 4 channels, not the shape %r'
                         % (arr.shape,))
    return numpy.moveaxis(arr, channel_axis, 2)


def _check_mode(mode, modes):
    if mode is not None and mode not in modes:
        raise ValueError('such an array can be of the modes %s, not %r' % (
            ', '.join(modes), mode))


def toimage(arr, high=255, low=0, cmin=None, cmax=None, pal=None, mode=None,
            channel_axis=None):
    """Return a Pillow image of an array, scaled to bytes."""
    from PIL import Image
    data = numpy.asarray(arr)
    if numpy.iscomplexobj(data):
        raise ValueError('a picture cannot have complex numbers')
    if data.ndim == 3:
        data = bytescale(_channels_last(data, channel_axis), cmin, cmax, high, low)
        modes = ('RGB', 'YCbCr') if data.shape[2] == 3 else ('RGBA', 'CMYK')
        _check_mode(mode, modes)
        return Image.frombytes(mode or modes[0], data.shape[1::-1], data.tobytes())
    if data.ndim != 2:
        raise ValueError('a picture has 2 or 3 axes, not the shape %r' % (data.shape,))
    _check_mode(mode, ('L', 'P', '1', 'I', 'F'))
    size = data.shape[::-1]
    if mode == 'F':
        return Image.frombytes('F', size, data.astype(numpy.float32).tobytes())
    if mode == 'I':
        scaled = _scale(data, data.min() if cmin is None else cmin,
                        data.max() if cmax is None else cmax, high, low)
        return Image.frombytes('I', size, scaled.astype(numpy.int32).tobytes())
    if mode == '1':
        return Image.fromarray(data > high)
    data = bytescale(data, cmin, cmax, high, low)
    image = Image.frombytes('L', size, data.tobytes())
    if mode == 'P' or pal is not None:
        grey = numpy.repeat(numpy.arange(256), 3)
        image.putpalette(numpy.asarray(grey if pal is None else pal, 'uint8').tobytes())
    return image


def fromimage(im, flatten=False, mode=None):
    """Convert a Pillow image to an array."""
    if mode is not None:
        im = im.convert(mode)
    elif im.mode == 'P':
        im = im.convert('RGBA' if 'transparency' in im.info else 'RGB')
    if flatten:
        im = im.convert('F')
    elif im.mode == '1':
        im = im.convert('L')
    return numpy.array(im)


def imread(name, flatten=False, mode=None):
    """Read a file as an array."""
    from PIL import Image
    with Image.open(name) as im:
        return fromimage(im, flatten, mode)


def imsave(name, arr, format=None):
    """Write an array to a file."""
    toimage(arr, channel_axis=2).save(name, format or None)


def imresize(arr, size, interp='bilinear', mode=None):
    """Resize: to a percentage (int), by a factor (float), or to rows and columns."""
    im = toimage(arr, mode=mode)
    if isinstance(size, (int, numpy.integer)):
        size = size / 100.0
    if isinstance(size, (float, numpy.floating)):
        size = tuple([int(side * size) for side in im.size])
    else:
        size = int(size[1]), int(size[0])
    return fromimage(im.resize(size, resample=_FILTERS[interp]))


def imrotate(arr, angle, interp='bilinear'):
    """Rotate by an angle in degrees, counter-clockwise."""
    im = toimage(arr)
    return fromimage(im.rotate(angle, resample=_FILTERS[interp]))


def imshow(arr):
    """Show an array in the image viewer of the system."""
    toimage(arr).show()
