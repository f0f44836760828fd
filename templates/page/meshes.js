/* Meshes of files: unpacked into triangles of size one, like the solids; coarse ones where each triangle costs time. */

const CREASE = Math.cos((40 * Math.PI) / 180); /* faces that meet under a larger angle have an edge between them */

const CELLS = 7; /* along each edge of the box around a coarse mesh */

/* [{vertices, triangles, wide, size}] -> {"mesh 0": {positions, normals}, ...}, all that is in the page or coarse. */
function readMeshes(meshes, fine) {
  return Object.fromEntries(meshes.map((mesh, k) => {
    const points = Float32Array.from(decode(mesh.vertices, Uint16Array), (value) => value / 65535 - 0.5);
    const corners = decode(mesh.triangles, mesh.wide ? Uint32Array : Uint16Array);
    return ["mesh " + k, fine ? fineMesh(points, corners, mesh) : coarseMesh(points, corners)];
  }));
}

/* Every point moves to the first one of its cell; triangles that are left with a corner of their own are kept, once. */
function coarseMesh(points, corners) {
  const first = new Map();
  const moved = Array.from({ length: points.length / 3 }, (_, vertex) => {
    const cell = [0, 1, 2].reduce((sum, i) => CELLS * sum + Math.floor((points[3 * vertex + i] + 0.5) * (CELLS - 1e-3)), 0);
    if (!first.has(cell)) first.set(cell, vertex);
    return first.get(cell);
  });
  const kept = new Map();
  for (let k = 0; k < corners.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => moved[corners[k + j]]);
    if (a !== b && b !== c && c !== a) kept.set([a, b, c].sort().join(), [a, b, c]);
  }
  const flat = [...kept.values()].flat();
  return { positions: Float32Array.from(flat.flatMap((vertex) => [...points.subarray(3 * vertex, 3 * vertex + 3)])) };
}

function fineMesh(points, corners, mesh) {
  const faces = faceNormals(points, corners, mesh.size);
  const around = facesAround(corners, points.length / 3);
  const positions = new Float32Array(3 * corners.length);
  const normals = new Float32Array(3 * corners.length);
  corners.forEach((vertex, k) => {
    positions.set(points.subarray(3 * vertex, 3 * vertex + 3), 3 * k);
    const own = faces[Math.floor(k / 3)];
    let sum = [0, 0, 0];
    for (const face of around[vertex]) if (dot(faces[face].unit, own.unit) > CREASE) sum = add(sum, faces[face].area);
    normals.set(norm(sum) > 0 ? unit(sum).map((value, i) => value * mesh.size[i]) : [0, 0, 0], 3 * k);
  });
  return { positions, normals };
}

/* {area, unit} of every face in its true proportions: its normal as long as twice its area, and of length one. */
function faceNormals(points, corners, size) {
  const faces = [];
  for (let k = 0; k < corners.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => size.map((value, i) => value * points[3 * corners[k + j] + i]));
    const area = cross(subtract(b, a), subtract(c, a));
    faces.push({ area, unit: norm(area) > 0 ? unit(area) : [0, 0, 0] });
  }
  return faces;
}

function facesAround(corners, count) {
  const around = Array.from({ length: count }, () => []);
  corners.forEach((vertex, k) => around[vertex].push(Math.floor(k / 3)));
  return around;
}
