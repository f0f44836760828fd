"""From a mechanism to its program: what is solved for, what acts, elimination, and what a reader is told."""

from __future__ import annotations

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.kernels.account import declare as declare_account
from symvi.kernels.common import COMMON, setup_common
from symvi.kernels.constraint import WORKS, watch_kernels
from symvi.mechanism import Mechanism
from symvi.numbers.derived_parameters import derivation_of
from symvi.physics.multibody import MultibodySystem
from symvi.program.acting import Acting
from symvi.program.draft import Draft
from symvi.program.formulation import Formulation
from symvi.program.lean import lean
from symvi.program.maximal import MaximalCoordinates
from symvi.program.notes import baked_entries, carried_angles, constraint_notes
from symvi.program.phases import TANGENTS
from symvi.program.placing_schedule import Placing
from symvi.program.problem import Problem
from symvi.program.program import Notes, Program


class Composer:
    """Builds one program; used once.

    formulation: what is solved for, e.g. MaximalCoordinates. saving: whether steps alone are left of it (lean.py).
    """

    def __init__(
        self,
        system: MultibodySystem,
        choices: Choices = NOTHING_DROPPED,
        formulation: type[Formulation] = MaximalCoordinates,
        saving: bool = False,
    ):
        self.draft, self.problem = Draft(), Problem(system, choices, saving)
        self.formulation = formulation(self.draft, self.problem)
        self.acting = Acting(self.draft, self.problem, self.formulation)

    def program(self) -> Program:
        """Bodies and joints, then all that acts on them, then the elimination of what they leave together."""
        formulation, acting = self.formulation, self.acting
        self._common()
        formulation.unknowns()
        formulation.residual()
        formulation.matrix()
        formulation.landing()
        self._watch()
        acting.laws()
        acting.forces()
        acting.shares()
        inequalities = acting.inequalities()
        formulation.elimination()
        if inequalities:
            acting.keep()
        placing = Placing(self.draft, self.problem.system, formulation.joints)
        return self._finished(placing, inequalities)

    def _common(self) -> None:
        """The record that all nodes share."""
        draft, choices = self.draft, self.problem.choices
        draft.schedule({"setup": setup_common(draft.records)}, {}, "numbers that follow from the step")
        declare_account(draft.records)
        draft.parameters[COMMON, 0] = {
            "gravity": self.problem.mechanism.gravity,
            "limit": (choices.notes.get("limit", 1e-9),),
            "extent": (choices.notes.get("size", 1.0),),
        }
        if self.problem.inequalities:
            self.acting.units()
        if self.problem.is_held:
            meaning = "1 where velocities of the knot that the step begins at are to be read, else 0"
            draft.records.declare(COMMON, "work", "seen", 1, meaning)

    def _watch(self) -> None:
        """Rows that were dropped: evaluated in every step, solved in none."""
        draft, system, dropped = self.draft, self.problem.system, self.problem.choices.dropped
        joints = [joint.name for joint in system.mechanism.joints if dropped.get(joint.name)]
        watched = [system.joint(name, dropped[name]) for name in joints]
        watched += [coupling for coupling in system.couplings if dropped.get(coupling.name)]
        for kind, model, members in draft.types(watched, lambda model: ("dropped",)):
            kernels = watch_kernels(draft.records, kind, model, draft.bake(kind, members))
            for member in members:
                node = draft.node(kind, member.name, member)
                draft.schedule(kernels, draft.ports(node, member), member.name)

    def _finished(self, placing: Placing, inequalities: list[dict]) -> Program:
        draft, problem, formulation = self.draft, self.problem, self.formulation
        mechanism = problem.mechanism
        angles = carried_angles(draft, problem, formulation.laws)
        notes: Notes = {
            **formulation.notes(),
            "angles": angles,
            "constraints": constraint_notes(formulation.joints),
            "baked": baked_entries(draft),
            "derived": derivation_of(mechanism, [problem.radius(body.name) for body in mechanism.bodies]),
            "watched": bool(draft.phases["watch"]),
            "inequalities": inequalities,
            "works": self._works(),
            "losses": draft.losses,
            "uses_c_library": problem.uses_c_library(),
            **placing.notes(formulation.joints, angles),
            **problem.choices.notes,
        }
        carries = notes["coordinates"] == "tree"
        if not (notes["loops"] and (inequalities or carries)):  # nobody asks whether joints do work
            draft.phases["do_work"] = []
            for name in WORKS:
                draft.records.fields[COMMON, "work"].pop(name, None)
        draft.phases = {phase: list(calls) for phase, calls in formulation.simplified(draft.phases).items()}
        draft.drop_unused_fields()
        tangents = {phase: tuple(draft.phases.pop(phase)) for phase in TANGENTS}
        program = Program(
            mechanism.name,
            mechanism.digest,
            draft.records,
            {k: tuple(v) for k, v in draft.nodes.items()},
            {k: tuple(v) for k, v in draft.phases.items()},
            draft.parameters,
            draft.baked,
            notes,
            tangents,
        )
        return lean(program) if problem.saving else program

    def _works(self) -> list[dict]:
        """What does work, drivers first, as they are described: some joints of a tree are led, others are not."""
        order = {driver.name: k for k, driver in enumerate(self.problem.mechanism.drivers)}
        return sorted(self.draft.works, key=lambda note: order.get(note["name"], len(order)))


def compose(
    mechanism: Mechanism,
    choices: Choices = NOTHING_DROPPED,
    formulation: type[Formulation] = MaximalCoordinates,
) -> Program:
    """The program of a mechanism, with the rows and guards that the analysis of its loops chose."""
    return Composer(MultibodySystem(mechanism), choices, formulation).program()
