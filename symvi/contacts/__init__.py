"""symvi's own kinds of contacts, one file for each; importing this room registers them (symvi/registry.py).

Their description is in mechanism/contacts.py. The papers' contact is that with a half-space; what friction does is the
same for all kinds (kernels/contact.py).
"""

from __future__ import annotations

from symvi.contacts import half_space, sphere, gap  # isort: skip # in the order of messages

__all__ = ["gap", "half_space", "sphere"]
