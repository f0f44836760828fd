"""Who can have written a file or a folder, as far as the system tells."""

from __future__ import annotations

import os
import stat


def user_number() -> int | None:
    """Return the number of the user who runs this process; None on Windows, where files tell no such number."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to this user or to root, who could change any file anyway."""
    return user_number() is None or status.st_uid in (user_number(), 0)


def is_open(status: os.stat_result) -> bool:
    """Whether the group or everybody may write. Windows shows modes that say nothing of it, and is not asked."""
    return user_number() is not None and bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def is_trusted(status: os.stat_result) -> bool:
    """Whether nobody but the user and root can have written it."""
    return is_own(status) and not is_open(status)
