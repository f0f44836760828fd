"""A sweep gives the same table wherever it runs, also where a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from symvi import ArgumentError, Simulator, SymviError, sweep
from symvi.sweeps import Motion, RayExecutor

OVER = {"pole.mass": np.linspace(0.05, 0.2, 12), "pole.length": [0.8, 1.0]}
HOW = {"measure": {"swing": "max(abs(hinge))"}, "time": 0.3}
MARK = "SYMVI_TEST_KILLED"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of two variants."""
    monkeypatch.setattr(sys.modules["symvi.sweeps.sweep"], "PACK", 2)


@pytest.fixture(scope="module")
def here(cart: Simulator):
    """The table of this process."""
    return sweep(cart, OVER, **HOW)


def deadly(mark: Path) -> Callable[[Motion], float]:
    """A measure that ends its worker the first time, in the middle of the sweep. It is sent by its text."""

    def swing(motion: Motion) -> float:
        import os
        import signal
        from pathlib import Path

        if motion["hinge"].max() > 0.57 and not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return abs(motion["hinge"]).max()

    return swing


def killing(motion: Motion) -> float:
    """The same, at the top of a module: processes import it."""
    mark = Path(os.environ[MARK])
    if motion["hinge"].max() > 0.57 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return abs(motion["hinge"]).max()


def always_killing(motion: Motion) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


def same(table, other) -> bool:
    return table.drop(columns="error").equals(other.drop(columns="error")) and (table["error"] == "").all()


def test_threads(cart: Simulator, here) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert same(sweep(cart, OVER, executor=pool, **HOW), here)
    with pytest.raises(ArgumentError, match="is closed"):
        sweep(cart, OVER, executor=pool, **HOW)


def test_processes_of_which_one_is_killed(cart: Simulator, here, tmp_path: Path, monkeypatch) -> None:
    """The sweep's own pool is made anew; what it had finished is not done again."""
    monkeypatch.setenv(MARK, str(tmp_path / "killed"))
    found = sweep(cart, OVER, measure={"swing": killing}, time=0.3, executor=2)
    assert (tmp_path / "killed").exists() and same(found, here)
    with pytest.raises(ArgumentError, match="measure 'swing': this function cannot be sent"):
        sweep(cart, OVER, measure={"swing": lambda motion: 1.0}, time=0.3, executor="processes")


def test_a_pool_of_the_users_that_breaks_keeps_what_was_finished(
    cart: Simulator, here, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path / "killed"))
    how = {"measure": {"swing": killing}, "time": 0.3, "out": tmp_path / "table.csv"}
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(SymviError, match="a process of this pool has ended"):
            sweep(cart, OVER, executor=pool, **how)
    done = len((tmp_path / "table.csv.part").read_bytes().splitlines()) - 1
    assert done > 0
    seen = []
    with ProcessPoolExecutor(1) as pool:
        found = sweep(cart, OVER, executor=pool, progress=lambda count, total: seen.append(count), **how)
    assert seen[0] == done and same(found, here)


def test_workers_that_are_lost_again_and_again_end_the_sweep(cart: Simulator) -> None:
    with pytest.raises(SymviError, match="lost 3 times"):
        sweep(cart, {"pole.mass": [0.1, 0.2]}, measure={"a": always_killing}, time=0.1, executor=1)


@pytest.mark.slow
@pytest.mark.thorough
def test_a_cluster_of_dask_of_which_a_worker_is_killed(cart: Simulator, here, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = sweep(cart, OVER, measure={"swing": deadly(tmp_path / "killed")}, time=0.3, executor=client)
        assert (tmp_path / "killed").exists() and same(found, here)
    with pytest.raises(ArgumentError, match="closed"):
        sweep(cart, OVER, executor=client, **HOW)


@pytest.fixture
def ray_executor() -> Iterator[Executor]:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield RayExecutor()
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.thorough
def test_ray_of_which_a_worker_is_killed(cart: Simulator, here, tmp_path: Path, ray_executor: Executor) -> None:
    found = sweep(cart, OVER, measure={"swing": deadly(tmp_path / "killed")}, time=0.3, executor=ray_executor)
    assert (tmp_path / "killed").exists() and same(found, here)
    ray_executor.shutdown()
    with pytest.raises(ArgumentError, match="is closed"):
        sweep(cart, OVER, executor=ray_executor, **HOW)
