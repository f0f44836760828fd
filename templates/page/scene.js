/* The scene at one time: where each solid stands, and which of them a ray from the eye meets first. */

const WORLD = -1;
const PALETTE = [
  "#4c86d8", "#e0873c", "#4fa66a", "#cf5d73", "#8c78cf", "#35a3a6", "#c9a22c", "#b0714c", "#7488a6", "#c872b4",
];

const ROUND = ["sphere", "cylinder"];
const STRIPES = 0.16; /* share by which they are lighter and darker */

const AT_REST = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
const placed = (placement, body) => (body === WORLD ? AT_REST : placement.bodies[body]);
const worldPoint = (frame, point) => add(frame.position, rotate(frame.orientation, point));

/* #rrggbb as three numbers between 0 and 1 */
const channels = (color) => [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16) / 255);
const mixed = (color, other, s) => blend(channels(color), channels(other), s);

class Scene {
  constructor(data, meshes) {
    this.bodies = data.bodies;
    this.parts = data.parts;
    this.spans = data.spans;
    this.length = data.length;
    this.solids = { ...buildSolids(false), ...meshes };
  }

  bodyColor(body) {
    return this.bodies[body].color || PALETTE[body % PALETTE.length];
  }

  /* Solids to draw: {solid, position, orientation, size, color, stripes, body, above}. `above` all others, without a
     shadow, are forces: their points lie under bodies. `theme` gives the colour of markers.
     Stripes along the axis of a round shape let its turning be seen. */
  items(placement, theme) {
    const items = this.parts.map((part) => {
      const frame = placed(placement, part.body);
      return {
        solid: part.solid,
        position: worldPoint(frame, part.position),
        orientation: multiplyQuaternions(frame.orientation, part.orientation),
        size: part.size,
        color: this.partColor(part, theme),
        stripes: part.role === "shape" && ROUND.includes(part.solid) ? STRIPES : 0,
        body: part.role === "joint" ? WORLD : part.body,
      };
    });
    const spans = this.spans.map((span) => this.spanItem(span, placement, theme));
    return items.concat(spans, placement.contacts.flatMap((contact) => this.contactItems(contact, theme)));
  }

  /* A contact force: an arrow from the point of contact, as long as the force is large. */
  contactItems({ point, arrow }, theme) {
    const [length, thick] = [norm(arrow), 0.022 * this.length];
    const head = Math.min(0.09 * this.length, 0.5 * length);
    const along = scale(1 / length, arrow);
    const orientation = alignQuaternion(along);
    const piece = (solid, from, to, width) => ({
      solid,
      position: add(point, scale(0.5 * (from + to), along)),
      orientation,
      size: [width, width, to - from],
      color: channels(theme.force),
      stripes: 0,
      body: WORLD,
      above: true,
    });
    return [piece("cylinder", 0, length - head, thick), piece("cone", length - head, length, 3.4 * thick)];
  }

  partColor(part, theme) {
    if (part.role === "joint") return channels(part.body === WORLD ? theme.anchor : theme.marker);
    if (part.color) return channels(part.color);
    if (part.body === WORLD) return channels(theme.anchor);
    const color = this.bodyColor(part.body);
    return part.role === "mass" ? mixed(color, theme.marker, 0.35) : channels(color);
  }

  spanItem(span, placement, theme) {
    const [first, second] = [0, 1].map((k) => worldPoint(placed(placement, span.bodies[k]), span.points[k]));
    const along = subtract(second, first);
    const length = Math.max(norm(along), 1e-9 * this.length);
    return {
      solid: span.kind === "spring" ? "spring" : "cylinder",
      position: blend(first, second, 0.5),
      orientation: alignQuaternion(scale(1 / length, along)),
      size: [2 * span.radius, 2 * span.radius, length],
      color: channels(theme.marker),
      stripes: 0,
      body: WORLD,
    };
  }

  /* The nearest body on the ray {origin, direction}: {body, point in its frame, distance}, or null. */
  pick(ray, placement, theme) {
    let best = null;
    for (const item of this.items(placement, theme)) {
      if (item.body === WORLD) continue;
      const distance = this.rayDistance(ray, item);
      if (distance < (best ? best.distance : Infinity)) best = { body: item.body, distance };
    }
    if (!best) return null;
    const frame = placement.bodies[best.body];
    const hit = add(ray.origin, scale(best.distance, ray.direction));
    best.point = rotate(conjugate(frame.orientation), subtract(hit, frame.position));
    return best;
  }

  /* Distance along the ray to a solid, in the solid's own coordinates, where its size is one. */
  rayDistance(ray, item) {
    const back = conjugate(item.orientation);
    const shrink = (v) => v.map((value, k) => value / item.size[k]);
    const origin = shrink(rotate(back, subtract(ray.origin, item.position)));
    const direction = shrink(rotate(back, ray.direction));
    if (!meetsUnitBox(origin, direction)) return Infinity;
    const points = this.solids[item.solid].positions;
    let nearest = Infinity;
    for (let k = 0; k < points.length; k += 9) {
      nearest = Math.min(nearest, rayTriangle(origin, direction, points, k));
    }
    return nearest;
  }
}

/* Whether a ray meets the box in which all solids are: a mesh has thousands of triangles. */
function meetsUnitBox(origin, direction) {
  let [near, far] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const ends = [-0.51, 0.51].map((side) => (side - origin[k]) / (direction[k] || 1e-300));
    near = Math.max(near, Math.min(...ends));
    far = Math.min(far, Math.max(...ends));
  }
  return near <= far;
}

/* The shortest turn of the z axis into a direction of length one. */
function alignQuaternion([x, y, z]) {
  if (z < -0.999999) return [0, 1, 0, 0];
  const length = Math.sqrt(2 * (1 + z));
  return [(1 + z) / length, -y / length, x / length, 0];
}

/* Moeller and Trumbore: where a ray meets the triangle that starts at points[k], as a multiple of its direction. */
function rayTriangle(origin, direction, points, k) {
  const corner = [points[k], points[k + 1], points[k + 2]];
  const first = [points[k + 3] - corner[0], points[k + 4] - corner[1], points[k + 5] - corner[2]];
  const second = [points[k + 6] - corner[0], points[k + 7] - corner[1], points[k + 8] - corner[2]];
  const p = cross(direction, second);
  const determinant = dot(first, p);
  if (Math.abs(determinant) < 1e-12) return Infinity;
  const offset = subtract(origin, corner);
  const u = dot(offset, p) / determinant;
  if (u < 0 || u > 1) return Infinity;
  const q = cross(offset, first);
  const v = dot(direction, q) / determinant;
  if (v < 0 || u + v > 1) return Infinity;
  const distance = dot(second, q) / determinant;
  return distance > 0 ? distance : Infinity;
}
