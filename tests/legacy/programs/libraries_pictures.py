# Chainer 1.24, Python 2.7, --legacy=v1,python,numpy,libraries
"""Pictures made smaller and larger, without a word on the filter."""
import numpy as np
from PIL import Image, ImageOps

rs = np.random.RandomState(0)


def show(image):
    values = np.asarray(image).astype(np.float64)
    print('%s %s %.4f %.4f' % (
        image.mode, image.size, values.sum(), (values.ravel() * np.arange(values.size)).sum()))


grey = Image.fromarray(rs.randint(0, 255, (8, 9)).astype(np.uint8))
colours = Image.fromarray(rs.randint(0, 255, (8, 9, 3)).astype(np.uint8))
floats = Image.fromarray(rs.rand(8, 9).astype(np.float32))
for image in (grey, colours, floats, floats.convert('I')):
    show(image.resize((5, 3)))  # removed: PIL.Image.Image.resize without a filter
    show(image.resize((17, 20)))  # removed: PIL.Image.Image.resize without a filter
    show(image.resize((5, 3), Image.NEAREST))
for image in (grey, colours):
    show(ImageOps.fit(image, (4, 4)))  # removed: PIL.ImageOps.fit, pad or scale without a filter
    show(ImageOps.scale(image, 2))  # removed: PIL.ImageOps.fit, pad or scale without a filter
show(grey.convert('1').resize((5, 3)))
show(grey.convert('P').resize((5, 3)))
