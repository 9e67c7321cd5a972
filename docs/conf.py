"""How Sphinx makes the site; ``docs.site`` lays out what it is made from, and begins it."""

project = "spadework"
copyright = "the authors of spadework"  # noqa: A001 - Sphinx's name
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["**/.*"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # headings that begin at the second level
html_theme = "furo"
html_title = "spadework"
html_show_sphinx = html_show_copyright = html_copy_source = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say what is taken, and in which shape
autodoc_default_options = {"members": True, "undoc-members": False}
python_maximum_signature_line_length = 80
