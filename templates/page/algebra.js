/* Vectors [x, y, z], quaternions [w, x, y, z] that turn body axes into world axes, 4 x 4 matrices by columns. */

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(1 / (norm(a) || 1), a);
const blend = (a, b, s) => a.map((value, i) => value + s * (b[i] - value));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/* Any direction at right angles to `a`. */
function across(a) {
  return unit(cross(a, Math.abs(a[0]) < 0.6 * norm(a) ? [1, 0, 0] : [0, 1, 0]));
}

function multiplyQuaternions(p, q) {
  return [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
}

/* v + 2 w (u x v) + 2 u x (u x v) */
function rotate(q, v) {
  const u = [q[1], q[2], q[3]];
  const once = cross(u, v);
  return add(v, scale(2, add(scale(q[0], once), cross(u, once))));
}

const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];

/* The rotation between two others, by the short way. */
function blendQuaternions(p, q, s) {
  const sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
  const mixed = p.map((value, i) => (1 - s) * value + s * sign * q[i]);
  const length = Math.hypot(...mixed);
  return mixed.map((value) => value / length);
}

/* Size, then turn, then move: the matrix that places a solid of size one. */
function placementMatrix(position, q, size) {
  const x = scale(size[0], rotate(q, [1, 0, 0]));
  const y = scale(size[1], rotate(q, [0, 1, 0]));
  const z = scale(size[2], rotate(q, [0, 0, 1]));
  return [...x, 0, ...y, 0, ...z, 0, ...position, 1];
}

/* The 3 x 3 matrix of normals for placementMatrix: turn after dividing by the size. */
function normalMatrix(q, size) {
  return [
    ...scale(1 / size[0], rotate(q, [1, 0, 0])),
    ...scale(1 / size[1], rotate(q, [0, 1, 0])),
    ...scale(1 / size[2], rotate(q, [0, 0, 1])),
  ];
}

function multiplyMatrices(a, b) {
  const product = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

const transform = (m, v) => [
  m[0] * v[0] + m[4] * v[1] + m[8] * v[2] + m[12],
  m[1] * v[0] + m[5] * v[1] + m[9] * v[2] + m[13],
  m[2] * v[0] + m[6] * v[1] + m[10] * v[2] + m[14],
];

function perspectiveMatrix(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const depth = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0];
}

/* Everything moved along `direction` onto the plane  up . x = height: the matrix of a shadow. */
function shadowMatrix(direction, up, height) {
  const along = scale(-1 / dot(up, direction), direction);
  const columns = [0, 1, 2].map((j) => [0, 1, 2].map((i) => (i === j ? 1 : 0) + along[i] * up[j]));
  const offset = scale(-height, along);
  return [...columns[0], 0, ...columns[1], 0, ...columns[2], 0, ...offset, 1];
}
