"""The table of a sweep: a row for each variant, a column for each number, with names and units."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.sweeps.job import Row

OWN = ("steps", "own_build", "error")  # behind the measures


def table_of(
    columns: Mapping[str, NDArray[Any]], measures: Sequence[str], rows: Sequence[Row], units: Mapping[str, str]
) -> Any:
    """A DataFrame of pandas with the variant as index; without pandas, NumPy's records with a field "variant".

    columns: what was changed, (n,) each. rows: of all variants, in order. units: of columns, under `attrs["units"]`, or
    in `dtype.metadata["units"]`.
    """
    values = np.array([row.values for row in rows], float).reshape(len(rows), len(measures))
    table: dict[str, Any] = {**columns, **{title: values[:, k] for k, title in enumerate(measures)}}
    table["steps"] = np.array([row.steps for row in rows], np.int64)
    table["own_build"] = np.array([row.own for row in rows], bool)
    errors = [row.error for row in rows]
    try:
        import pandas
    except ImportError:
        return _records(table | {"error": np.array(errors, str)}, units)
    found = pandas.DataFrame(table | {"error": errors}, index=pandas.RangeIndex(len(rows), name="variant"))
    found.attrs["units"] = dict(units)
    return found


def _records(table: Mapping[str, NDArray[Any]], units: Mapping[str, str]) -> Any:
    fields = [("variant", np.int64), *((name, values.dtype) for name, values in table.items())]
    found = np.recarray(len(table["steps"]), dtype=np.dtype(fields, metadata={"units": dict(units)}))
    found["variant"] = np.arange(len(found))
    for name, values in table.items():
        found[name] = values
    return found


def write(table: Any, path: Path) -> None:
    """A table as a file, whole or not at all. Parquet's schema has the units, CSV's head those of its columns."""
    temporary = path.with_name(path.name + ".new")
    if path.suffix.lower() == ".parquet":
        import pyarrow
        import pyarrow.parquet

        found = pyarrow.Table.from_pandas(table)
        units = table.attrs["units"]
        fields = [field.with_metadata({"unit": units.get(field.name, "")}) for field in found.schema]
        pyarrow.parquet.write_table(found.cast(pyarrow.schema(fields, found.schema.metadata)), temporary)
    else:
        is_records = isinstance(table, np.ndarray)
        units = _units_of(table)
        names = list(table.dtype.names or ()) if is_records else ["variant", *table.columns]
        lines = table.tolist() if is_records else table.itertuples(name=None)
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([f"{name} [{units[name]}]" if units.get(name) else name for name in names])
            writer.writerows(lines)
    os.replace(temporary, path)


def _units_of(table: Any) -> Mapping[str, str]:
    if isinstance(table, np.ndarray):
        return (table.dtype.metadata or {}).get("units", {})
    return table.attrs["units"]
