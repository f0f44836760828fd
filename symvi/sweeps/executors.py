"""Who runs the jobs of a sweep: this process, any executor of concurrent.futures, a Dask client, Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from numbers import Integral
from typing import Any, TypeVar

from symvi.errors import ArgumentError, SymviError, missing_extra
from symvi.mechanism.names import shown
from symvi.simulate.batch_workers import checked_threads

Job = TypeVar("Job")
Rows = TypeVar("Rows")

TRIES = 3  # of a job whose worker was lost
WAITING = 1024  # jobs at an executor at a time
LOST = ("KilledWorker", "CancelledError", "FutureCancelledError", "WorkerCrashedError", "NodeDiedError", "LostRunError")


class RayExecutor(Executor):
    """Ray's workers as an executor: `RayExecutor()` starts Ray here, or takes the cluster that `ray.init` has joined.

    A job whose worker dies runs again elsewhere. Raises MissingExtraError without Ray (extra `ray`).
    """

    def __init__(self, **options: Any):
        """options: of `ray.remote`, such as num_cpus, of each job."""
        try:
            import ray
        except ImportError as error:
            raise missing_extra("ray", "Ray") from error
        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        self._ray, self._closed = ray, False
        self._options = {"max_retries": TRIES, "num_cpus": 1, **options}

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """A job for a worker."""
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        return self._ray.remote(**self._options)(function).remote(*arguments, **keywords).future()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more jobs. Ray goes on as it was."""
        self._closed = True


def executor_of(given: object) -> tuple[Executor | None, bool]:
    """An executor, None for this process, and whether it is the sweep's own, to be made anew and to be closed.

    Raises ArgumentError for what is none.
    """
    if given is None or isinstance(given, Executor):
        return given, False
    if is_own(given):
        return _processes(None if isinstance(given, str) else given), True
    if hasattr(given, "get_executor"):
        client: Any = given
        if getattr(client, "status", "running") != "running":
            raise ArgumentError(f"executor {shown(given)}: this client of Dask is {client.status}; make another")
        return client.get_executor(pure=False), False
    raise ArgumentError(
        f"executor {shown(given)}: give None, a number of processes, 'processes', an Executor of concurrent.futures, a "
        "Client of Dask, or symvi.sweeps.RayExecutor()"
    )


def is_own(given: object) -> bool:
    """Whether a pool of processes is to be made for the sweep."""
    return (isinstance(given, str) and given == "processes") or (
        isinstance(given, Integral) and not isinstance(given, bool)
    )


def check_executor(given: object) -> None:
    """Raises ArgumentError for what is none, before anything is begun."""
    executor, own = executor_of(given)
    if own and executor is not None:
        executor.shutdown(wait=False)


def _processes(count: object) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(checked_threads(count, "executor: processes"))


def results(given: object, function: Callable[[Job], Rows], jobs: Iterable[Job]) -> Iterator[Rows]:
    """What jobs give, as they come.

    A job whose worker is lost runs again, three times at most; a pool of processes of the sweep's own is made anew for
    that. What a job raises is raised. Raises ArgumentError for an executor that is closed, SymviError where workers are
    lost again and again.
    """
    executor, own = executor_of(given)
    if executor is None:
        yield from map(function, jobs)
        return
    crew = _Crew(executor, own, function, given)
    try:
        yield from crew.work(iter(jobs))
    finally:
        crew.leave()


class _Crew:
    """Jobs at an executor."""

    def __init__(self, executor: Executor, own: bool, function: Callable[[Any], Any], given: object):
        self._executor, self._own, self._function, self._given = executor, own, function, given
        self._tries: dict[Future[Any], tuple[Any, int]] = {}
        self._breaks = 0  # of pools since the last result

    def work(self, jobs: Iterator[Any]) -> Iterator[Any]:
        """Results, as they come."""
        ended = False
        while self._tries or not ended:
            while not ended and len(self._tries) < WAITING:
                job = next(jobs, None)
                ended = job is None
                if not ended:
                    self._submit(job, 1)
            if not self._tries:
                return
            finished = wait(self._tries, return_when=FIRST_COMPLETED).done
            lost = []
            for future in finished:
                job, tries = self._tries.pop(future)
                try:
                    result = future.result()
                except (Exception, CancelledError) as error:
                    if not _is_lost(error):
                        raise
                    lost.append((job, tries, error))
                    continue
                self._breaks = 0
                yield result
            self._again(lost)

    def _again(self, lost: list[tuple[Any, int, BaseException]]) -> None:
        """Run jobs whose workers were lost."""
        broken = any(isinstance(error, BrokenProcessPool) for _, _, error in lost)
        if broken and not self._own:
            raise SymviError(
                f"executor {shown(self._given)}: a process of this pool has ended, and the pool takes no more jobs; "
                "what was finished is kept where `out` says, and the same sweep with another executor goes on from it"
            ) from lost[0][2]
        if broken:  # nobody knows whose job it was
            self._breaks += 1
            lost += [(job, tries, lost[0][2]) for job, tries in self._tries.values()]
            lost = [(job, self._breaks, error) for job, _, error in lost]
            self._tries.clear()
            self._executor = _processes(getattr(self._executor, "_max_workers", None))
        for job, tries, error in lost:
            if tries >= TRIES:
                raise SymviError(
                    f"workers were lost {TRIES} times over the same variants ({type(error).__name__}: {error}): the "
                    "machine may lack memory for them, or what measures them ends the process"
                ) from error
            self._submit(job, 1 if broken else tries + 1)

    def _submit(self, job: Any, tries: int) -> None:
        try:
            future = self._executor.submit(self._function, job)
        except BrokenProcessPool as error:
            self._again([(job, tries, error)])
            return
        except Exception as error:
            if isinstance(error, RuntimeError) or "clos" in str(error).lower():
                raise ArgumentError(f"executor {shown(self._given)} is closed ({error}); make another") from error
            raise
        self._tries[future] = job, tries

    def leave(self) -> None:
        """Ask for nothing more."""
        for future in self._tries:
            future.cancel()
        if self._own:
            self._executor.shutdown(wait=not self._tries, cancel_futures=True)


def _is_lost(error: BaseException) -> bool:
    """Whether a job failed with its worker, and not by itself."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, BrokenProcessPool) or bool(kinds & set(LOST))


def threads_for(given: object, threads: int | None) -> int:
    """Threads of each worker: all processors where this process works alone, else one."""
    if threads is None and given is not None:
        return 1
    return checked_threads(threads)
