/* What lies over the picture, always readable: the paths of points, and the names of bodies and joints. */

class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.traces = [];
  }

  /* A click on the same place again takes the path away. Returns the new number of paths. */
  toggleTrace(motion, body, point, tolerance) {
    const same = this.traces.findIndex((t) => t.body === body && norm(subtract(t.point, point)) < tolerance);
    if (same >= 0) this.traces.splice(same, 1);
    else this.traces.push({ body, point, path: motion.path(body, point) });
    return this.traces.length;
  }

  clearTraces() {
    this.traces = [];
  }

  /* view: {lens, scene, motion, placement, time, tail (seconds), names ("none", "bodies", "all"), theme, hovered}. */
  draw(view) {
    const { context, canvas } = this;
    const ratio = canvas.width / canvas.clientWidth || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineJoin = context.lineCap = "round";
    for (const trace of this.traces) this.drawTrace(trace, view);
    context.font = `12px ${view.theme.font}`;
    if (view.names === "all") this.drawJointNames(view);
    if (view.names !== "none") view.scene.bodies.forEach((_, body) => this.drawBodyName(body, view));
    else if (view.hovered) this.drawBodyName(view.hovered.body, view);
    if (view.hovered) this.drawTarget(view);
  }

  /* The whole path faintly, the last `tail` seconds of it strongly, a dot where the point is now. */
  drawTrace(trace, view) {
    const { motion, time, lens } = view;
    const color = view.scene.bodyColor(trace.body);
    const now = motion.frameAt(time);
    const here = worldPoint(view.placement.bodies[trace.body], trace.point);
    const strokes = [{ points: trace.path, alpha: 0.45, width: 1.4 }];
    if (motion.blended) {
      const tail = trace.path.slice(motion.frameAt(time - view.tail), now + 1);
      strokes.push({ points: [...tail, here], alpha: 1, width: 2.6 });
    }
    for (const { points, alpha, width } of strokes) {
      this.context.globalAlpha = alpha;
      if (motion.blended) this.drawPath(points, color, width, lens);
      else this.drawDots(points, color, lens);
    }
    this.context.globalAlpha = 1;
    const dot = lens.project(here);
    if (dot) this.drawDisc(dot, 4, color, view.theme.paper);
  }

  drawPath(points, color, width, lens) {
    const { context } = this;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    let drawing = false;
    for (const point of points) {
      const place = lens.project(point);
      if (place && drawing) context.lineTo(place[0], place[1]);
      else if (place) context.moveTo(place[0], place[1]);
      drawing = Boolean(place);
    }
    context.stroke();
  }

  drawDots(points, color, lens) {
    this.context.fillStyle = color;
    for (const point of points) {
      const place = lens.project(point);
      if (place) this.context.fillRect(place[0] - 1, place[1] - 1, 2, 2);
    }
  }

  drawDisc([x, y], radius, color, ring) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = ring;
    context.stroke();
  }

  /* The point of a body that a click would trace. */
  drawTarget(view) {
    const { body, point } = view.hovered;
    const place = view.lens.project(worldPoint(view.placement.bodies[body], point));
    if (!place) return;
    this.context.beginPath();
    this.context.arc(place[0], place[1], 6, 0, 2 * Math.PI);
    this.context.lineWidth = 2;
    this.context.strokeStyle = view.theme.ink;
    this.context.stroke();
  }

  drawBodyName(body, view) {
    const { name, center } = view.scene.bodies[body];
    const place = view.lens.project(worldPoint(view.placement.bodies[body], center));
    if (place) this.drawLabel(name, place, view.theme.ink, view.theme.paper, "600 12px ");
  }

  drawJointNames(view) {
    for (const part of view.scene.parts) {
      if (part.role !== "joint") continue;
      const place = view.lens.project(worldPoint(placed(view.placement, part.body), part.position));
      if (place) this.drawLabel(part.name, place, view.theme.faint, view.theme.paper, "11px ");
    }
  }

  drawLabel(name, [x, y], color, paper, style) {
    const { context } = this;
    const text = name.length > 40 ? name.slice(0, 39) + "\u2026" : name;
    context.font = style + getComputedStyle(document.body).fontFamily;
    context.lineWidth = 4;
    context.strokeStyle = paper;
    context.fillStyle = color;
    context.strokeText(text, x + 9, y - 7);
    context.fillText(text, x + 9, y - 7);
  }
}
