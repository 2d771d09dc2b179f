"""Settings of Sphinx. ``make docs`` builds the pages; see CONTRIBUTING.md."""
import importlib.util
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, '_ext')]

import numpydoc.xref  # noqa: E402

# Words of types that numpydoc would link to the pages of Python and NumPy.
numpydoc.xref.DEFAULT_LINKS.clear()

project = 'chainer_fast'
author = 'the authors of chainer_fast'
# Of the distribution; ``chainer_fast.__version__`` is the one that it stands in for.
with open(os.path.join(os.path.dirname(HERE), 'pyproject.toml'), encoding='utf-8') as f:
    release = version = re.search('^version = "(.+)"$', f.read(), re.M).group(1)
# No year: two builds of one commit give the same pages.
project_copyright = author
html_title = 'chainer_fast ' + release

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.autosummary',
    'sphinx.ext.mathjax',
    'sphinx.ext.viewcode',
    'numpydoc',
    'sphinx_gallery.gen_gallery',
    'sphinx_copybutton',
    'descriptions',                 # the rest is in _ext/
    'figures',
    'reference',
    'signatures',
    'sources',
    'units',
]
exclude_patterns = ['gallery/*']
templates_path = ['_templates']
nitpicky = True
# Pages of other projects are not looked up, as that needs a network.
nitpick_ignore_regex = [
    ('py:.*', r'(numpy|cupy|scipy|matplotlib|mpi4py|onnx|h5py|torch)(\..*)?'),
]

# Markdown
myst_enable_extensions = ['dollarmath']
myst_heading_anchors = 4            # for links such as gpu.md#3-switches

# Docstrings
add_module_names = False
autodoc_typehints = 'none'          # signatures.py writes them
autodoc_preserve_defaults = True
autodoc_mock_imports = ['torch']    # gigabytes, for six pages
autodoc_member_order = 'bysource'
autosummary_generate = True
autosummary_ignore_module_all = False
# Names that differ in case alone would share a file on some systems.
autosummary_filename_map = {
    'chainer_fast.dataset.converter': 'chainer_fast.dataset.converter_decorator',
    'chainer_fast.summary': 'chainer_fast.summary_of_a_model',
}
# What is no class or function has no docstring, or not one that users need.
autosummary_context = {'texts': {
    'chainer_fast.config': """
Settings of the running thread. Each is an attribute: reading it gives the thread's own
value or, without one, that of :data:`~chainer_fast.global_config`. Assigning it and
deleting it touch the thread's value alone. :func:`~chainer_fast.using_config` changes
one for a block.

>>> chainer.config.train
True
>>> with chainer.using_config('train', False):
...     chainer.config.train
False
""",
    'chainer_fast.global_config': """
Settings of all threads, unless a thread has set its own value in
:data:`~chainer_fast.config`.
""",
    'chainer_fast.mixed16': """
The dtype of mixed precision, for ``config.dtype``: arrays and parameters are float16,
and optimizers keep copies of the parameters in float32.
""",
    'chainer_fast.onnx.MINIMUM_OPSET_VERSION': """
The oldest version of the operator set that models can be written for.
""",
    'chainer_fast.onnx.MAXIMUM_OPSET_VERSION': """
The newest version of the operator set that models can be written for.
""",
}}
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = 'all'        # only these words of a type are links
numpydoc_xref_aliases = {
    'Variable': 'chainer_fast.Variable',
    'Parameter': 'chainer_fast.Parameter',
    'Link': 'chainer_fast.Link',
    'Chain': 'chainer_fast.Chain',
    'Function': 'chainer_fast.Function',
    'FunctionNode': 'chainer_fast.FunctionNode',
    'Optimizer': 'chainer_fast.Optimizer',
    'Trainer': 'chainer_fast.training.Trainer',
    'Distribution': 'chainer_fast.Distribution',
    # Only words that differ from their targets are links.
    'chainer_fast.utils.type_check.InvalidType': 'utils.type_check.InvalidType',
}
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True

# Pages
html_theme = 'furo'
# The package has MathJax itself, so that pages need no network.
html_favicon = '_static/favicon.svg'
html_search_scorer = os.path.join(HERE, '_ext', 'scorer.js')
html_static_path = ['_static', *(
    os.path.join(folder, 'static') for folder in importlib.util.find_spec(
        'sphinx-mathjax-offline').submodule_search_locations)]
mathjax_path = 'mathjax/tex-chtml.js'
html_css_files = ['pages.css']
html_show_sourcelink = False
html_copy_source = False
copybutton_prompt_text = r'>>> |\.\.\. |\$ '
copybutton_prompt_is_regexp = True
pygments_style = 'friendly'
pygments_dark_style = 'monokai'

sphinx_gallery_conf = {
    'examples_dirs': 'gallery',
    'gallery_dirs': 'auto_gallery',
    'filename_pattern': r'plot_',
    'within_subsection_order': 'FileNameSortKey',
    'download_all_examples': False,
    'show_memory': False,
    'min_reported_time': 3600,      # times of one machine say nothing
    'remove_config_comments': True,
    'first_notebook_cell': (
        '# Once, with the path of your clone.\n'
        "%pip install '/path/to/chainer_fast[demo]'"),
    'abort_on_example_error': True,
    'show_signature': False,
    'write_computation_times': False,
}

# ``make docs-links`` looks at links to other hosts.
linkcheck_anchors = False
linkcheck_timeout = 20

# Links out of this folder, which code hosts need, to the pages that include the files.
OUTSIDE = {
    '](../CONTRIBUTING.md': '](contributing.md',
    '](../CHANGELOG.md': '](changelog.md',
    '](../benchmarks/README.md': '](benchmark.md',
    '](../README.md': '](index.md',
}


def point_inside(app, docname, source):
    for outside, inside in OUTSIDE.items():
        source[0] = source[0].replace(outside, inside)


def setup(app):
    app.connect('source-read', point_inside)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
