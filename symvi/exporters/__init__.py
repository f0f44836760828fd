"""Exporting: a mechanism's solver as a folder for another project, complete with its build files, figures, self-test.

    exported = symvi.export(mechanism, "firmware/arm", real="float")
    print(exported.manifest["dimensions"], exported.files)

A target (targets.py) writes the folder. What all of them share is here: the request is checked before anything is
derived, the folder appears whole or not at all (folder.py), and budgets of memory are kept (budget.py).
"""

from symvi.exporters.export import Exported, export

__all__ = ["Exported", "export"]
