"""Version of Chainer that this package replaces, and its optional libraries."""
__version__ = '7.8.1'

# Checked when the package is imported, if the library is installed.
_optional_dependencies = [
    {
        'name': 'CuPy',
        'packages': ['cupy-cuda13x', 'cupy-cuda12x', 'cupy-rocm-7-0', 'cupy'],
        'specifier': '>=13.0,<15.0',
        'help': 'https://docs.cupy.dev/en/stable/install.html',
    },
]
