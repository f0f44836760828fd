/* Solids of size one around the origin, as triangles: {positions, normals}, nine numbers a triangle each.
   Cylinders, cones and springs have their long axis along z. */

class SolidBuilder {
  constructor() {
    this.positions = [];
    this.normals = [];
  }

  /* Corners counter-clockwise seen from outside; one normal for each corner. */
  quad(corners, normals) {
    for (const k of [0, 1, 2, 0, 2, 3]) {
      this.positions.push(...corners[k]);
      this.normals.push(...normals[k]);
    }
    return this;
  }

  build() {
    return { positions: new Float32Array(this.positions), normals: new Float32Array(this.normals) };
  }
}

function boxSolid() {
  const builder = new SolidBuilder();
  for (const axis of [0, 1, 2]) {
    for (const side of [-0.5, 0.5]) {
      const corner = (a, b) => {
        const point = [0, 0, 0];
        point[axis] = side;
        point[(axis + 1) % 3] = a * Math.sign(side);
        point[(axis + 2) % 3] = b;
        return point;
      };
      const normal = [0, 0, 0];
      normal[axis] = Math.sign(side);
      const corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
      builder.quad(corners, [normal, normal, normal, normal]);
    }
  }
  return builder.build();
}

function cylinderSolid(sides) {
  const builder = new SolidBuilder();
  for (let k = 0; k < sides; k++) {
    const [a, b] = [k, k + 1].map((i) => (2 * Math.PI * i) / sides);
    const [na, nb] = [a, b].map((angle) => [Math.cos(angle), Math.sin(angle), 0]);
    const at = (n, z) => [0.5 * n[0], 0.5 * n[1], z];
    builder.quad([at(na, -0.5), at(nb, -0.5), at(nb, 0.5), at(na, 0.5)], [na, nb, nb, na]);
    const [top, bottom] = [[0, 0, 1], [0, 0, -1]];
    builder.quad([[0, 0, 0.5], at(na, 0.5), at(nb, 0.5), [0, 0, 0.5]], [top, top, top, top]);
    builder.quad([[0, 0, -0.5], at(nb, -0.5), at(na, -0.5), [0, 0, -0.5]], [bottom, bottom, bottom, bottom]);
  }
  return builder.build();
}

function coneSolid(sides) {
  const builder = new SolidBuilder();
  for (let k = 0; k < sides; k++) {
    const [a, b] = [k, k + 1].map((i) => (2 * Math.PI * i) / sides);
    const rim = (angle) => [0.5 * Math.cos(angle), 0.5 * Math.sin(angle), -0.5];
    const slope = (angle) => unit([Math.cos(angle), Math.sin(angle), 0.5]);
    const [tip, bottom] = [[0, 0, 0.5], [0, 0, -1]];
    builder.quad([rim(a), rim(b), tip, tip], [slope(a), slope(b), slope(b), slope(a)]);
    builder.quad([[0, 0, -0.5], rim(b), rim(a), [0, 0, -0.5]], [bottom, bottom, bottom, bottom]);
  }
  return builder.build();
}

function sphereSolid(sides, bands) {
  const builder = new SolidBuilder();
  const normal = (i, j) => {
    const [longitude, latitude] = [(2 * Math.PI * i) / sides, Math.PI * (j / bands - 0.5)];
    return [Math.cos(latitude) * Math.cos(longitude), Math.cos(latitude) * Math.sin(longitude), Math.sin(latitude)];
  };
  for (let i = 0; i < sides; i++) {
    for (let j = 0; j < bands; j++) {
      const normals = [normal(i, j), normal(i + 1, j), normal(i + 1, j + 1), normal(i, j + 1)];
      builder.quad(normals.map((n) => scale(0.5, n)), normals);
    }
  }
  return builder.build();
}

/* A wire around the z axis. Its wire is flattened with the spring, which the eye forgives. */
function springSolid(turns, segments, sides) {
  const builder = new SolidBuilder();
  const [coil, wire] = [0.42, 0.08];
  const ring = (k) => {
    const angle = (2 * Math.PI * turns * k) / segments;
    const out = [Math.cos(angle), Math.sin(angle), 0];
    const centre = add(scale(coil, out), [0, 0, k / segments - 0.5]);
    return Array.from({ length: sides + 1 }, (_, i) => {
      const turn = (2 * Math.PI * i) / sides;
      const normal = add(scale(Math.cos(turn), out), [0, 0, Math.sin(turn)]);
      const lift = [wire * normal[0], wire * normal[1], 0.25 * wire * normal[2]];
      return { point: add(centre, lift), normal };
    });
  };
  for (let k = 0; k < segments; k++) {
    const [here, next] = [ring(k), ring(k + 1)];
    for (let i = 0; i < sides; i++) {
      const corners = [here[i], next[i], next[i + 1], here[i + 1]];
      builder.quad(corners.map((c) => c.point), corners.map((c) => c.normal));
    }
  }
  return builder.build();
}

/* `fine` for WebGL; coarse where every triangle is painted by hand. */
function buildSolids(fine) {
  return {
    box: boxSolid(),
    cylinder: cylinderSolid(fine ? 32 : 12),
    cone: coneSolid(fine ? 24 : 8),
    sphere: fine ? sphereSolid(32, 16) : sphereSolid(12, 6),
    spring: fine ? springSolid(9, 162, 8) : springSolid(7, 56, 3),
  };
}
