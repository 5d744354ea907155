"""Sphinx configuration. Nothing here asks the network."""

import doctest
import inspect
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import numpy as np  # noqa: E402
import reference_pages  # noqa: E402

import sharedarray  # noqa: E402

project = "sharedarray"
author = "The sharedarray developers"
copyright = f"2026, {author}"
version = release = sharedarray.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "swap_in_page",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
default_role = "py:obj"
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = reference_pages.write(HERE / "generated")
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

doctest_global_setup = "import numpy as np\nimport sharedarray as xp"
doctest_default_flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

html_theme = "pydata_sphinx_theme"
html_title = f"sharedarray {version}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app):
    """Leave out the members whose docstring is NumPy's: they are documented there."""
    owners = (np.ndarray, np.random.Generator, np.random.RandomState, np.vectorize)
    foreign = {inspect.getdoc(member) for owner in owners for member in vars(owner).values()}

    def skip(app, what, name, member, skip, options):
        return True if inspect.getdoc(member) in foreign else None

    app.connect("autodoc-skip-member", skip)
