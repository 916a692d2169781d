"""The documentation site: `make docs` builds it into out/site, from the Markdown pages where they are.

The source folder is the repository itself, so that a link between two pages is the same path here, in an editor
and on a code host. Nothing is loaded from another host: the site opens from a folder, without a network.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("MPLBACKEND", "Agg")

import reference  # beside this file
from pygments.lexers.special import TextLexer

from wayfare import __version__

project, author, release = "wayfare", "the wayfare developers", __version__
copyright = f"{author}, MIT licence"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "benchmarks/**.md", "*.md", "src/wayfare/bench/data/README.md"]
exclude_patterns = [".*", "out", "build", "dist", "**/node_modules"]

myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
suppress_warnings = ["myst.header"]  # a page of the generators may begin a part two levels down

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Options", "params_style"), ("Terms", "params_style")]
nitpicky = True
nitpick_ignore_regex = reference.ELSEWHERE

html_theme = "furo"
html_title = f"wayfare {release}"
html_static_path = ["_static"]
html_css_files = ["wayfare.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # a page that is a file may not fetch others
html_additional_pages = {"index": "first.html"}
templates_path = ["_templates"]
html_theme_options = {"footer_icons": []}
pygments_style = "friendly"


def setup(app):
    """Let pages say where what is read from the code goes; a table in a block is text."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", reference.fill)
