"""The notebook of the examples runs from its first cell to its last, and its cells show what the manual says."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
NOTEBOOK = REPOSITORY / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """What each cell of code showed, by form, after the last one ran."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    folder = tmp_path_factory.mktemp("jupyter")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(REPOSITORY))
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / name))
        client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
        client.execute()
    return [
        {form: text for output in cell.outputs for form, text in output.get("data", {}).items()}
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_is_kept_without_what_its_cells_showed() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert '"outputs": []' in text and text.count('"execution_count": null') == text.count('"cell_type": "code"')


def test_mechanism_motion_table_and_plot_are_shown(outputs: list[dict]) -> None:
    mechanism, motion, table, given, plot = outputs
    assert "<svg" in mechanism["text/html"] and "2 bodies, 2 joints, 1 force, 2 freedoms" in mechanism["text/html"]
    assert mechanism["text/plain"] == "<Mechanism cart: 2 bodies, 2 joints, 1 force>"
    assert "<iframe srcdoc=" in motion["text/html"] and len(motion["text/html"]) < 2_000_000
    assert "motor.power" in table["text/html"]
    assert float(given["text/plain"].strip("np.float64()"))
    assert "image/png" in plot
