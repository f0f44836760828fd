"""What the kernels of contacts, limits and dry friction must give: geometry, starts, impulses, laws, increments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from symvi.naive.central_path import Scaling, dot_all
from symvi.naive.contact_points import NaiveContact, tangential
from symvi.naive.inequalities import Law, law
from symvi.naive.nodes import SIDES, limit_rooms
from symvi.naive.quaternion import dot, scale
from symvi.proofs.check import Check, View
from symvi.proofs.crun import Memory
from symvi.proofs.expected_state import mean_of_parts
from symvi.proofs.expected_step import Linear

SCALED, EXACT = "scaled", "exact"
NOTHING = 2  # the aim at no complementarity


class Laws:
    """The laws of all nodes at the point of the path's variables, scaled or exact, for each of the path's aims."""

    def __init__(self, view: View):
        self.view = view
        self._found: dict[tuple[str, int], dict[str, Law]] = {}

    def of(self, form: str, which: int = 0) -> dict[str, Law]:
        if (form, which) not in self._found:
            self._found[form, which] = {name: self._law(name, form, which) for name in self.view.interior.nodes}
        return self._found[form, which]

    def _law(self, name: str, form: str, which: int) -> Law:
        interior, path, aim = self.view.interior, self.view.path, self.view.path.aims[which]
        scaling = path.scalings[name].pair if form == SCALED and name in path.scalings else None
        return law(
            interior.nodes[name], path.variables[name], interior.rates[name],
            aim.target * path.effective_mass(name), aim.second,
            aim.affine[name], self.view.scene.zero, scaling,
        )  # fmt: skip

    @cached_property
    def pressed(self) -> Linear:
        """The residual with the impulses of the path's variables, and the matrix of bodies that they do not bind."""
        variables, nodes = self.view.path.variables, self.view.interior.nodes
        impulses = {name: node.impulse(variables[name]) for name, node in nodes.items()}
        return Linear(self.view.system.matrix, self.view.interior.pressed(impulses))

    def aimed(self, form: str, which: int = 0) -> Linear:
        """The condensed system: its matrix, and the residual with the impulses that nodes are sent to."""
        variables, nodes = self.view.path.variables, self.view.interior.nodes
        laws = self.of(form, which)
        impulses = {
            name: [p + k for p, k in zip(node.impulse(variables[name]), laws[name].sent, strict=True)]
            for name, node in nodes.items()
        }
        if form not in self._matrices:
            self._matrices[form] = self.view.interior.condensed(laws)
        return Linear(self._matrices[form], self.view.interior.pressed(impulses))

    @cached_property
    def _matrices(self) -> dict[str, dict]:
        return {}


def weights(view: View) -> Iterator[Check]:
    """What complementarity is compared by."""
    for name in view.interior.nodes:
        yield view.check(name, "light", [1 / view.path.effective_mass(name)])


# --- geometry -----------------------------------------------------------------------------------------------------
def geometry(view: View) -> Iterator[Check]:
    """What nodes see of their bodies at the first knot."""
    for name, contact in view.interior.contacts.items():
        yield from _contact_geometry(view, name, contact)
    for stop in view.scene.mechanism.limits:
        yield view.check(stop.name, "room", limit_rooms(view.system, stop)(view.system.first))
    for name in _dry(view):
        yield view.check(name, "most", view.path.most(name))


def _dry(view: View) -> list[str]:
    return [name for name, node in view.interior.nodes.items() if "held" in dict(node.fields)]


def _contact_geometry(view: View, name: str, contact: NaiveContact) -> Iterator[Check]:
    first = view.system.first
    yield view.check(name, "gap", [contact.gap(first[contact.parent], first[contact.child])])
    yield view.check(name, "normal", contact.normal)
    yield view.check(name, "point", contact.place)
    for label, body in (("a", contact.parent), ("b", contact.child)):
        if body != "world":
            yield view.check(name, f"l_{label}", contact.arms[body])
    if not contact.kind.is_distance:
        yield view.check(name, "steepness", [contact.steepness])
    if contact.cone != "none":
        yield view.check(name, "bound", [view.path.bound(name)])
    if contact.plane is not None:
        yield view.check(name, "way", [x for way in contact.ways[: len(contact.ways) // 2] for x in way])
    if contact.carries_axis:
        assert contact.plane is not None, name
        yield view.check(name, "across_now", contact.plane[0])


def seen(view: View) -> Iterator[Check]:
    """The velocities that all nodes see."""
    for name, u in view.interior.rates.items():
        contact = view.interior.contacts.get(name)
        yield view.check(name, "un", u if contact is None else u[:1])
        if contact is not None and contact.cone != "none":
            yield view.check(name, "ut", u[1:])


# --- starts -------------------------------------------------------------------------------------------------------
def warm(view: View) -> Iterator[Check]:
    """Starts near the last impulses and the predicted velocities, all exactly on the central path, without change."""
    zero = view.scene.zero
    for name, variables in view.path.starts.items():
        for field, values in variables.items():
            yield view.check(name, field, values)
            yield view.check(name, f"d_{field}", [zero] * len(values))
        yield from _on_path(view, name)


def _on_path(view: View, name: str) -> Iterator[Check]:
    """Every product of the node's complementarity is the centring: s gamma = mu, (b0, beta) o e = (mu, 0).

    For dry friction (L, lambda) o (y1 + y2, y2 - y1) = (2 mu, 0), the sum and the difference of its two pairs. The
    direction of friction is shorter than 1 by the guard that lets it exist at zero, and by no more.
    """
    contact = view.interior.contacts.get(name)
    if contact is not None and contact.cone == "linear":
        yield from _pyramid_on_path(view, name)
        return
    node, record, mu = view.interior.nodes[name], view.scene.nodes[name], view.path.first(name)
    guards = view.path.guards.get(name, [])
    dry = "held" in dict(node.fields)
    expected = [2 * mu, view.scene.zero] * len(guards) if dry else [mu * unit for unit in node.centred]

    def products(memory: Memory) -> list:
        fields = memory["work"][record.kind][record.index]
        if dry:
            return [x for k, guard in enumerate(guards) for x in _dry_products(fields, k, guard)]
        found = node.products({field: fields[field] for field, _ in node.fields})
        for guard in guards:
            found[1] = found[1] + (guard - 1) * dot(fields["b"][1:], fields["e"][1:])
        return found

    yield Check(f"{name}: products on the central path", expected, products)


def _pyramid_on_path(view: View, name: str) -> Iterator[Check]:
    """The product of the normal is the centring, those of friction are all alike, and its bound is met."""
    record, bound, zero = view.scene.nodes[name], view.path.bound(name), view.scene.zero
    count = len(view.interior.contacts[name].ways)

    def missed(memory: Memory) -> list:
        fields = memory["work"][record.kind][record.index]
        gamma, *b = fields["impulse"]
        first, *products = (p * s for p, s in zip(fields["impulse"], fields["slack"], strict=True))
        return [first, *(p - products[-1] for p in products[:-1]), sum(b, zero) - bound * gamma]

    yield Check(f"{name}: on the central path", [view.path.first(name), *[zero] * (count + 1)], missed)


def _dry_products(fields: dict[str, list], k: int, guard) -> list:
    (low, high), (y1, y2) = (fields[field][2 * k : 2 * k + 2] for field in ("impulse", "slack"))
    b0, beta, top, slide = (low + high) / 2, (high - low) / 2, y1 + y2, y2 - y1
    return [b0 * top + guard * beta * slide, b0 * slide + top * beta]


# --- impulses and laws --------------------------------------------------------------------------------------------
def apply_impulse(view: View, laws: Laws) -> Iterator[Check]:
    """The residual of bodies with the impulses of all nodes, and what slacks miss of their velocities."""
    for name in view.scene.bodies:
        yield view.check(name, "f", laws.pressed.residual[name])
    yield from missed(view)


def missed(view: View) -> Iterator[Check]:
    """What slacks miss of the velocities of their nodes."""
    for name, node in view.interior.nodes.items():
        yield view.check(name, "miss", node.miss(view.path.variables[name], view.interior.rates[name]))


def spread(view: View) -> Iterator[Check]:
    """Every impulse is kept as a force, for the velocities of the knot that the step begins at."""
    for name, values in view.path.forces.items():
        yield view.check(name, "force", values)


def scaling(view: View) -> Iterator[Check]:
    """W e = W^-1 b, for the W that the record describes; and that it is the W that b was made from."""
    for name, known in view.path.scalings.items():
        yield view.check(name, "eta", [known.eta])
        yield view.check(name, "scaling_point", known.w)
        b, e = (view.path.variables[name][field] for field in "be")
        yield Check(f"{name}: W W e", b, _doubly_scaled(view, name, e))


def _doubly_scaled(view: View, name: str, e: list) -> Callable[[Memory], list]:
    """W W e, which is b where W e = W^-1 b."""
    node = view.scene.nodes[name]

    def read(memory: Memory) -> list:
        record = memory["work"][node.kind][node.index]
        return Scaling(record["eta"][0], record["scaling_point"]).partner(e)

    return read


def determinants(view: View) -> Iterator[Check]:
    """How far b and e are inside their cones: x0² - |x|²."""
    for name in view.path.scalings:
        variables = view.path.variables[name]
        yield view.check(name, "det", [x[0] * x[0] - dot(x[1:], x[1:]) for x in (variables["b"], variables["e"])])


def soften(view: View) -> Iterator[Check]:
    """Slacks larger by impulses over a mass: of every pair, and of the scalars of cones."""
    for name, variables in view.path.variables.items():
        if "held" in variables:
            sizes = [view.path.size(name, k // 2) for k in range(len(variables["impulse"]))]
        else:
            sizes = [view.path.size(name)] * len(variables["impulse"])
        pairs = zip(variables["impulse"], variables["slack"], sizes, strict=True)
        yield view.check(name, "slack", [s + gamma / m for gamma, s, m in pairs])
        if "b" in variables:
            e = variables["e"]
            yield view.check(name, "e", [e[0] + variables["b"][0] / view.path.size(name), *e[1:]])


def uncouple(view: View) -> Iterator[Check]:
    """Friction by its own law alone."""
    for name, contact in view.interior.contacts.items():
        if contact.cone != "none":
            yield view.check(name, "m", [view.scene.zero] * 3)


def answer(view: View, laws: dict[str, Law]) -> Iterator[Check]:
    """Forces before a knot with the impulses dP = -K du over their time, for the solution's change of velocities."""
    motion = {body: scale(view.scene.zero - 1, view.solution[body]) for body in view.scene.bodies}
    for name, force in view.path.forces.items():
        du = view.interior.rate_change(name, motion)
        changes = [-dot_all(row, du) / view.scene.impulse for row in laws[name].stiffness]
        if name not in view.interior.contacts and name not in _dry(view):
            changes = [_net(view, name, changes)]
        yield view.check(name, "force", [f + change for f, change in zip(force, changes, strict=True)])


def release(view: View) -> Iterator[Check]:
    """No law: bodies move as if there were no contact."""
    for name in view.interior.nodes:
        for field in ("kappa", "m", "stiffness"):
            if field in _fields(view, name):
                yield view.check(name, field, [view.scene.zero] * _fields(view, name)[field])


def _fields(view: View, name: str) -> dict[str, int]:
    return {f.name: f.size for f in view.program.records.of(view.scene.nodes[name].kind, "work")}


def stiffness(view: View, laws: dict[str, Law]) -> Iterator[Check]:
    """K in dP = k - K du. Of contacts: kappa of the gap, friction per normal impulse, stiffness of friction."""
    for name in (name for name in view.interior.nodes if name not in view.interior.contacts):
        diagonal = [row[k] for k, row in enumerate(laws[name].stiffness)]
        yield view.check(name, "kappa", diagonal if name in _dry(view) else [sum(diagonal, view.scene.zero)])
    for name, contact in view.interior.contacts.items():
        rows = laws[name].stiffness
        yield view.check(name, "kappa", rows[0][:1])
        if contact.cone != "none":
            yield view.check(name, "m", [row[0] / rows[0][0] for row in rows[1:]])
            # sliding is tangential, so that what a law does with other vectors does not matter
            friction = [tangential(contact.normal, row[1:]) for row in rows[1:]]
            yield view.check(name, "stiffness", [value for row in friction for value in row])


def sent(view: View, system: Linear) -> Iterator[Check]:
    """The residual of bodies with the impulses that nodes are sent to."""
    for name in view.scene.bodies:
        yield view.check(name, "f", system.residual[name])


def kept(view: View, laws: Laws) -> Iterator[Check]:
    """The residual as it was before an aim and an elimination changed it."""
    for name, values in laws.pressed.residual.items():
        yield view.check(name, "f", values)


def respond(view: View, laws: dict[str, Law]) -> Iterator[Check]:
    """Increments of all variables where bodies change by minus the solution."""
    for name, change in increments(view, laws).items():
        for field, values in change.items():
            yield view.check(name, f"d_{field}", values)


def increments(view: View, laws: dict[str, Law]) -> dict[str, dict[str, list]]:
    motion = {body: scale(view.scene.zero - 1, view.solution[body]) for body in view.scene.bodies}
    return {name: laws[name].change(view.interior.rate_change(name, motion)) for name in view.interior.nodes}


def advance(view: View, laws: dict[str, Law]) -> Iterator[Check]:
    for name, change in increments(view, laws).items():
        for field, values in view.path.variables[name].items():
            yield view.check(name, f"base_{field}", values)
            yield view.check(name, field, _moved(view, values, change[field]))


def shorten_step(view: View) -> Iterator[Check]:
    for name, base in view.path.base.items():
        for field, values in base.items():
            yield view.check(name, field, _moved(view, values, view.path.aims[0].affine[name][field]))


def _moved(view: View, base: list, change: list) -> list:
    return [old + view.scene.length * d for old, d in zip(base, change, strict=True)]


def merit(view: View):
    """What slacks miss, as a sum of squares."""
    variables, rates_of = view.path.variables, view.interior.rates
    return sum(
        (m * m for name, node in view.interior.nodes.items() for m in node.miss(variables[name], rates_of[name])),
        view.scene.zero,
    )


# --- results ------------------------------------------------------------------------------------------------------
def react(view: View) -> Iterator[Check]:
    for name, values in shown(view):
        yield view.check(name, "shown", values)


def gather(view: View) -> Iterator[Check]:
    """Means over the parts of a step so far: of contacts the forces and the sliding, of all others the forces."""
    for name, values in shown(view):
        means = range(1, 8) if name in view.interior.contacts else range(len(values))
        yield from mean_of_parts(view, name, "total", "shown", values, means)


def shown(view: View) -> Iterator[tuple[str, list]]:
    """What users see: of contacts the gap, forces, sliding and place; of all others the force along coordinates."""
    scene, zero = view.scene, view.scene.zero
    for name, node in view.interior.nodes.items():
        impulse = scale(1 / scene.impulse, node.impulse(view.path.variables[name]))
        contact, u = view.interior.contacts.get(name), view.interior.rates[name]
        if contact is None:
            yield name, impulse if name in _dry(view) else [_net(view, name, impulse)]
            continue
        friction, slide = (impulse[1:], u[1:]) if contact.cone != "none" else ([zero] * 3, [zero] * 3)
        forces = [impulse[0] * contact.steepness, *friction]
        yield name, [scene.h * u[0], *forces, *slide, *contact.place, *contact.normal]


def _net(view: View, name: str, impulse: list):
    stop = next(limit for limit in view.scene.mechanism.limits if limit.name == name)
    signs = [sign for side, sign in SIDES if getattr(stop, side) is not None]
    return sum((sign * value for sign, value in zip(signs, impulse, strict=True)), view.scene.zero)


def finish(view: View) -> Iterator[Check]:
    """Impulses that the next start remembers."""
    for name, node in view.interior.nodes.items():
        impulse, contact = node.impulse(view.path.variables[name]), view.interior.contacts.get(name)
        yield view.check(name, "last_impulse", impulse if contact is None else impulse[:1], "state")
        if contact is not None and contact.cone != "none":
            yield view.check(name, "friction_before", impulse[1:], "state")
        if contact is not None and contact.carries_axis:
            assert contact.plane is not None, name
            yield view.check(name, "across", contact.plane[0], "state")


def forget(view: View) -> Iterator[Check]:
    """No impulse is remembered from before a start, and a carried axis begins somewhere across the normal."""
    for name, contact in view.interior.contacts.items():
        if contact.carries_axis:
            x, y, z = contact.normal
            yield view.check(name, "across", [3 * y - 5 * z, 7 * z - 2 * x, 4 * x + 11 * y], "state")
    for name in view.interior.nodes:
        for f in view.program.records.of(view.scene.nodes[name].kind, "state"):
            if f.name in ("last_impulse", "friction_before"):
                yield view.check(name, f.name, [view.scene.zero] * f.size, "state")
