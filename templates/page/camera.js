/* The eye: it goes around a target, nearer and further, and moves the target along the picture. */

const FIELD_OF_VIEW = (32 * Math.PI) / 180;
const STEEPEST = (88 * Math.PI) / 180;

class Camera {
  constructor(view) {
    this.view = view;
    this.up = view.up;
    this.east = across(view.up);
    this.north = cross(this.up, this.east);
    this.aspect = 1;
    this.follow = view.follow;
    this.reset();
  }

  /* The opening view: the whole room of the motion fills the picture. */
  reset() {
    const toward = this.view.toward;
    this.azimuth = Math.atan2(dot(toward, this.north), dot(toward, this.east));
    this.elevation = Math.asin(clamp(dot(toward, this.up), -1, 1));
    this.middle = blend(this.view.low, this.view.high, 0.5);
    this.carried = [0, 0, 0];
    this.fitted = true;
    this.fit();
  }

  /* The distance from which every corner of the room is inside the picture. */
  fit() {
    const { right, above, toward } = this.axes();
    const half = Math.tan(FIELD_OF_VIEW / 2);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = [0, 1, 2].map((i) => ((k >> i) & 1 ? this.view.high[i] : this.view.low[i]));
      const offset = subtract(corner, this.middle);
      const wide = Math.abs(dot(offset, right)) / (half * this.aspect);
      const high = Math.abs(dot(offset, above)) / half;
      distance = Math.max(distance, 1.12 * Math.max(wide, high) + dot(offset, toward));
    }
    this.distance = distance || 1;
  }

  /* The shape of the picture changed; a view that nobody has touched stays fitted. */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.aspect = width / height;
    if (this.fitted) this.fit();
  }

  /* Where the mechanism travels, its centre of mass carries the target along. */
  carry(center) {
    this.carried = this.follow ? center : [0, 0, 0];
  }

  setFollow(follow, center) {
    const before = this.target();
    this.follow = follow;
    this.carry(center);
    this.middle = add(this.middle, subtract(before, this.target()));
  }

  target() {
    return add(this.middle, this.carried);
  }

  axes() {
    const level = add(scale(Math.cos(this.azimuth), this.east), scale(Math.sin(this.azimuth), this.north));
    const toward = add(scale(Math.cos(this.elevation), level), scale(Math.sin(this.elevation), this.up));
    const right = cross(this.up, level);
    return { toward, right, above: cross(toward, right) };
  }

  eye() {
    return add(this.target(), scale(this.distance, this.axes().toward));
  }

  orbit(dx, dy) {
    this.azimuth -= dx * 0.008;
    this.elevation = clamp(this.elevation + dy * 0.008, -STEEPEST, STEEPEST);
    this.fitted = false;
  }

  pan(dx, dy) {
    const { right, above } = this.axes();
    const metres = (2 * this.distance * Math.tan(FIELD_OF_VIEW / 2)) / this.height;
    this.middle = add(this.middle, add(scale(-dx * metres, right), scale(dy * metres, above)));
    this.fitted = false;
  }

  zoom(factor) {
    this.distance *= factor;
    this.fitted = false;
  }

  /* World to picture: {viewProjection, eye, project(point) -> [x, y, depth] in pixels, or null behind the eye}. */
  lens() {
    const { toward, right, above } = this.axes();
    const eye = this.eye();
    const turned = [0, 1, 2].map((i) => [right[i], above[i], toward[i], 0]).flat();
    const view = [...turned, -dot(right, eye), -dot(above, eye), -dot(toward, eye), 1];
    const projection = perspectiveMatrix(FIELD_OF_VIEW, this.aspect, this.distance / 50, this.distance * 50);
    const [fx, fy] = [(projection[0] * this.width) / 2, (projection[5] * this.height) / 2];
    const nearest = this.distance / 50;
    const project = (point) => {
      const offset = subtract(point, eye);
      const depth = -dot(offset, toward);
      if (depth < nearest) return null;
      return [this.width / 2 + (fx * dot(offset, right)) / depth, this.height / 2 - (fy * dot(offset, above)) / depth, depth];
    };
    return { viewProjection: multiplyMatrices(projection, view), eye, project };
  }

  /* The ray from the eye through a pixel. */
  ray(x, y) {
    const { toward, right, above } = this.axes();
    const half = Math.tan(FIELD_OF_VIEW / 2);
    const [h, v] = [((2 * x) / this.width - 1) * half * this.aspect, (1 - (2 * y) / this.height) * half];
    const direction = unit(subtract(add(scale(h, right), scale(v, above)), toward));
    return { origin: this.eye(), direction };
  }
}
