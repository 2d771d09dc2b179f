"""Names that Pillow and matplotlib have removed."""
import functools

from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers, modules, names
from chainer_fast.legacy._python.arrivals import when_imported


def _textsize(self, text, font=None, spacing=4, **options):
    """Return the width and height of a text."""
    return self.textbbox((0, 0), text, font, spacing=spacing, **options)[2:]


def _getsize(self, text, *args, **kwargs):
    """Return the width and height of a text."""
    return self.getbbox(text, *args, **kwargs)[2:]


def _of_images(patches, module):
    names.provide(patches, module, 'libraries')
    if not hasattr(module.Image, 'tostring'):
        names.set_counted(patches, module.Image, 'tostring', 'PIL.Image.Image.tostring',
                          module.Image.tobytes)


def _resizing(resize):
    @functools.wraps(resize)
    def call(self, size, resample=None, *args, **kwargs):
        if resample is None and self.mode not in _ALWAYS_NEAREST and (
                callers.wants_old_names(_frames.caller())):
            _report.adapted('PIL.Image.Image.resize without a filter')
            resample = 0
        return resize(self, size, resample, *args, **kwargs)
    return call


# Modes of images whose filter has not changed.
_ALWAYS_NEAREST = {'1', 'P', 'I;16', 'I;16L', 'I;16B', 'I;16N', 'BGR;15', 'BGR;16'}


def _with_nearest(keyword, function):
    @functools.wraps(function)
    def call(image, size, *args, **kwargs):
        if not args and keyword not in kwargs and image.mode not in _ALWAYS_NEAREST:
            _report.adapted('PIL.ImageOps.fit, pad or scale without a filter')
            kwargs[keyword] = 0
        return function(image, size, *args, **kwargs)
    return call


def _of_operations(patches, module):
    for name, keyword in ('fit', 'method'), ('pad', 'method'), ('scale', 'resample'):
        patches.set(module, name, _with_nearest(
            keyword, getattr(module, name)))


def _of_filters(patches, module):
    patches.set(module.Image, 'resize', _resizing(module.Image.resize))


def _of_drawing(patches, module):
    if not hasattr(module.ImageDraw, 'textsize'):
        names.set_counted(patches, module.ImageDraw, 'textsize',
                          'PIL.ImageDraw.ImageDraw.textsize', _textsize)


def _of_fonts(patches, module):
    for owner in (module.ImageFont, module.FreeTypeFont):
        if not hasattr(owner, 'getsize'):
            names.set_counted(patches, owner, 'getsize',
                              'PIL.ImageFont.ImageFont.getsize', _getsize)


def _with_normed(what, hist):
    @functools.wraps(hist)
    def call(*args, **kwargs):
        if 'normed' in kwargs:
            kwargs['density'] = bool(kwargs.pop('normed'))
            _report.adapted(what)
        return hist(*args, **kwargs)
    return call


def _of_pyplot(patches, module):
    names.provide(patches, module, 'libraries', {
        name: lambda value=value: value for name, value in (
            ('hold', lambda b=None: None), ('ishold', lambda: True))
        if not hasattr(module, name)})
    patches.set(module, 'hist', _with_normed(
        'matplotlib.pyplot.hist(normed=)', module.hist))


def _of_axes(patches, module):
    axes = module.Axes
    patches.set(axes, 'hist', _with_normed(
        'matplotlib.axes.Axes.hist(normed=)', axes.hist))
    if not hasattr(axes, 'hold'):
        names.set_counted(patches, axes, 'hold', 'matplotlib.axes.Axes.hold',
                          lambda self, b=None: None)


def _of_matplotlib(patches, module):
    use = module.use

    @functools.wraps(use)
    def call(*args, **kwargs):
        if 'warn' in kwargs:
            del kwargs['warn']
            _report.adapted('matplotlib.use(warn=)')
        return use(*args, **kwargs)
    patches.set(module, 'use', call)


def _of_colours(patches, module):
    def spectral():
        return module.nipy_spectral
    names.provide(patches, module, 'libraries',
                  {} if hasattr(module, 'spectral') else {'spectral': spectral})


def _of_styles(patches, module):
    use = module.use

    @functools.wraps(use)
    def call(style):
        if (isinstance(style, str) and style.startswith('seaborn')
                and style not in module.available):
            style = style.replace('seaborn', 'seaborn-v0_8', 1)
            _report.adapted('matplotlib.style.use of seaborn')
        return use(style)
    patches.set(module, 'use', call)


def _of_figures(patches, module):
    gca = module.Figure.gca

    @functools.wraps(gca)
    def call(self, **kwargs):
        if not kwargs:
            return gca(self)
        _report.adapted('matplotlib.figure.Figure.gca(projection=)')
        fitting = [axes for axes in self.axes if axes.name == kwargs.get('projection')]
        return fitting[-1] if fitting else self.add_subplot(**kwargs)
    patches.set(module.Figure, 'gca', call)


_ARRIVALS = {
    'PIL.Image': _of_images, 'PIL.ImageDraw': _of_drawing, 'PIL.ImageFont': _of_fonts,
    'matplotlib': _of_matplotlib, 'matplotlib.pyplot': _of_pyplot,
    'matplotlib.axes': _of_axes, 'matplotlib.cm': _of_colours,
    'matplotlib.style': _of_styles, 'matplotlib.figure': _of_figures}


def install(patches):
    for name, function in _ARRIVALS.items():
        when_imported(patches, name, functools.partial(function, patches))
    if 'libraries' in patches.named:
        when_imported(patches, 'PIL.Image', functools.partial(_of_filters, patches))
        when_imported(
            patches, 'PIL.ImageOps', functools.partial(_of_operations, patches))
    modules.provide(patches, {name: (None, name) for name in (
        'Image', 'ImageDraw', 'ImageFont', 'ImageOps')})
