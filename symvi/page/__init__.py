"""A page that replays a motion: one HTML file with everything in it, which opens from disk without a network."""

from symvi.page.write import write_page

__all__ = ["write_page"]
