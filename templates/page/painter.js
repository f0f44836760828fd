/* Drawing without WebGL: the triangles of all solids on a plain canvas, the furthest first. */

class PainterRenderer {
  constructor(canvas, meshes) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.name = "painter";
    this.solids = { ...buildSolids(false), ...meshes };
  }

  draw(picture) {
    const { context, canvas } = this;
    const ratio = canvas.width / canvas.clientWidth || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineJoin = "round";
    this.drawLines(picture);
    const [bodies, forces] = [false, true].map((above) =>
      picture.items.filter((item) => Boolean(item.above) === above).flatMap((item) => this.triangles(item, picture)),
    );
    if (dot(picture.up, picture.lens.eye) > picture.ground) this.drawShadow(bodies, picture);
    for (const triangles of [bodies, forces]) this.drawTriangles(triangles.filter((triangle) => triangle.facing), picture);
  }

  drawLines(picture) {
    const { context } = this;
    const [r, g, b] = channels(picture.theme.grid).map((value) => Math.round(255 * value));
    for (let k = 0; k < picture.grid.length; k += 2) {
      const [first, second] = [picture.grid[k], picture.grid[k + 1]];
      const ends = [picture.lens.project(first), picture.lens.project(second)];
      if (!ends[0] || !ends[1]) continue;
      context.strokeStyle = `rgba(${r}, ${g}, ${b}, ${(first[3] + second[3]) / 2})`;
      context.beginPath();
      context.moveTo(ends[0][0], ends[0][1]);
      context.lineTo(ends[1][0], ends[1][1]);
      context.stroke();
    }
  }

  /* Triangles in the world with their brightness: {corners, color, facing}. */
  triangles(item, picture) {
    const model = placementMatrix(item.position, item.orientation, item.size);
    const points = this.solids[item.solid].positions;
    const glow = item.body === picture.highlighted && item.body !== WORLD ? 0.35 : 0;
    const triangles = [];
    for (let k = 0; k < points.length; k += 9) {
      const corners = [0, 3, 6].map((j) => transform(model, [points[k + j], points[k + j + 1], points[k + j + 2]]));
      const area = cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
      if (norm(area) < 1e-30) continue; /* the fans of caps and poles have empty ones */
      const normal = unit(area);
      const facing = dot(normal, subtract(picture.lens.eye, corners[0])) > 0;
      const [x, y] = [0, 1].map((i) => points[k + i] + points[k + 3 + i] + points[k + 6 + i]);
      const tone = 1 + item.stripes * Math.sign(Math.round(1e6 * x * y));
      triangles.push({ corners, facing, color: facing ? shade(item.color, tone, normal, picture, glow) : null });
    }
    return triangles;
  }

  drawTriangles(triangles, picture) {
    const { context } = this;
    const seen = [];
    for (const { corners, color } of triangles) {
      const points = corners.map(picture.lens.project);
      if (points.every(Boolean)) seen.push({ points, color, depth: points[0][2] + points[1][2] + points[2][2] });
    }
    seen.sort((a, b) => b.depth - a.depth);
    context.lineWidth = 0.8; /* hides the seams between neighbours */
    for (const { points, color } of seen) {
      context.fillStyle = context.strokeStyle = color;
      context.beginPath();
      tracePolygon(context, points);
      context.fill();
      context.stroke();
    }
    context.lineWidth = 1;
  }

  /* One path for all shadows, every triangle in the same sense: what overlaps is not darkened twice. */
  drawShadow(triangles, picture) {
    const { context } = this;
    const flatten = shadowMatrix(picture.shadowLight, picture.up, picture.ground);
    context.beginPath();
    for (const { corners } of triangles) {
      const points = corners.map((corner) => picture.lens.project(transform(flatten, corner)));
      if (!points.every(Boolean)) continue;
      const [a, b, c] = points;
      const sense = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      tracePolygon(context, sense > 0 ? [a, b, c] : [a, c, b]);
    }
    const [r, g, b, alpha] = picture.theme.shadow;
    context.fillStyle = `rgba(${(255 * r) / alpha}, ${(255 * g) / alpha}, ${(255 * b) / alpha}, ${alpha})`;
    context.fill();
  }
}

function tracePolygon(context, points) {
  context.moveTo(points[0][0], points[0][1]);
  for (const point of points.slice(1)) context.lineTo(point[0], point[1]);
  context.closePath();
}

/* The light of the WebGL picture, without its shine. */
function shade(color, tone, normal, picture, glow) {
  const [below, above] = picture.theme.ambient;
  const sky = below + (above - below) * (0.5 + 0.5 * dot(normal, picture.up));
  const light = tone * (sky + 0.72 * Math.max(dot(normal, picture.light), 0) + glow);
  const values = color.map((value) => Math.round(255 * Math.min(1, value * Math.pow(light, 1 / 2.2))));
  return `rgb(${values.join(",")})`;
}
