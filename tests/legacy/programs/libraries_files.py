# Chainer 3.5, Python 3.6
"""Settings in YAML, data in HDF5, letters drawn by Pillow."""
import os
import tempfile

import h5py
import numpy as np
import yaml
from PIL import Image, ImageDraw, ImageFont

import chainer.functions as F

settings = yaml.load('{name: net, sizes: [2, 3], rate: 0.5}')  # removed: yaml.load without Loader
print(settings['name'], settings['sizes'], settings['rate'])
print(list(yaml.load_all('a: 1\n---\nb: 2')))  # removed: yaml.load_all without Loader
path = os.path.join(tempfile.mkdtemp(), 'data.h5')
with h5py.File(path) as f:  # removed: h5py.File without mode
    f.create_dataset('x', data=np.arange(6, dtype='f').reshape(2, 3))
    f['n'] = 4
with h5py.File(path) as f:  # removed: h5py.File without mode
    x = f['x'].value  # removed: h5py.Dataset.value
    f['y'] = x * 2
    print(f['n'].value, sorted(f))  # removed: h5py.Dataset.value
print('%.6f' % F.sum(F.tanh(x)).data)
image = Image.fromarray((x * 20).astype(np.uint8)).resize((6, 4), Image.ANTIALIAS)  # removed: PIL.Image.ANTIALIAS
print(image.size, Image.LINEAR == Image.BILINEAR)  # removed: PIL.Image.LINEAR
draw = ImageDraw.Draw(Image.new('L', (40, 20)))
font = ImageFont.load_default()
