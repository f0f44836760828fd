/* The motion: keyframes unpacked from text, and the placement of every body at any time between them. */

function decode(text, ArrayType) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new ArrayType(bytes.buffer);
}

class Motion {
  constructor(frames, bodyCount, contacts) {
    this.bodyCount = bodyCount;
    this.contactCount = contacts ? contacts.names.length : 0;
    this.contactPoints = contacts ? decode(contacts.point, Float32Array) : null;
    this.contactArrows = contacts ? decode(contacts.arrow, Float32Array) : null;
    this.time = decode(frames.time, Float64Array);
    this.positions = decode(frames.position, Float32Array);
    this.orientations = decode(frames.orientation, Float32Array);
    this.centers = decode(frames.center, Float32Array);
    this.blended = frames.blended;
    this.count = this.time.length;
    this.start = this.time[0];
    this.end = this.time[this.count - 1];
  }

  get duration() {
    return this.end - this.start;
  }

  /* The last keyframe at or before a time, by bisection. */
  frameAt(time) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  position(frame, body) {
    const k = 3 * (frame * this.bodyCount + body);
    return [this.positions[k], this.positions[k + 1], this.positions[k + 2]];
  }

  orientation(frame, body) {
    const k = 4 * (frame * this.bodyCount + body);
    return [this.orientations[k], this.orientations[k + 1], this.orientations[k + 2], this.orientations[k + 3]];
  }

  /* Closed contacts of a keyframe: {point, arrow}, the force to scale. */
  contacts(frame) {
    const vector = (values, k) => [values[k], values[k + 1], values[k + 2]];
    const found = [];
    for (let contact = 0; contact < this.contactCount; contact++) {
      const k = 3 * (frame * this.contactCount + contact);
      const arrow = vector(this.contactArrows, k);
      if (dot(arrow, arrow) > 0) found.push({ point: vector(this.contactPoints, k), arrow });
    }
    return found;
  }

  center(frame) {
    return [this.centers[3 * frame], this.centers[3 * frame + 1], this.centers[3 * frame + 2]];
  }

  /* {bodies: [{position, orientation}], center, contacts}. Where keyframes are too far apart to blend, the earlier one stands. */
  placementAt(time) {
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.count - 1);
    const gap = this.time[next] - this.time[frame];
    const s = this.blended && gap > 0 ? clamp((time - this.time[frame]) / gap, 0, 1) : 0;
    const bodies = Array.from({ length: this.bodyCount }, (_, body) => ({
      position: blend(this.position(frame, body), this.position(next, body), s),
      orientation: blendQuaternions(this.orientation(frame, body), this.orientation(next, body), s),
    }));
    return { bodies, center: blend(this.center(frame), this.center(next), s), contacts: this.contacts(frame) };
  }

  /* The path of a point of a body through all keyframes. */
  path(body, point) {
    return Array.from({ length: this.count }, (_, frame) =>
      add(this.position(frame, body), rotate(this.orientation(frame, body), point)),
    );
  }
}
