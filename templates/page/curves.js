/* Curves over time, drawn once for a size and a theme; a cursor follows the time, and a finger on it moves the time. */

const MARGIN = { left: 58, right: 12, top: 8, bottom: 24 };

/* Steps of 1, 2 or 5 times a power of ten, about `count` of them between low and high. */
function niceTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * ([1, 2, 5].find((s) => s * power >= rough) || 10);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k++) ticks.push(k * step);
  return { ticks, step };
}

function shortNumber(value) {
  if (!Number.isFinite(value)) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace("-", "\u2212");
  return String(Number(value.toPrecision(4))).replace("-", "\u2212");
}

/* Decimals that tell neighbouring ticks apart. */
function tickLabel(value, step) {
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || step < 1e-4) return value === 0 ? "0" : value.toExponential(1).replace("-", "\u2212");
  return value.toFixed(clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 6)).replace("-", "\u2212");
}

const superscript = (k) => String(k).replace(/./g, (c) => (c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c]));

class Chart {
  /* curves: [{name, time, values, readings, color (a key of the theme, or a colour)}];
     marks: times to point at; hard: [{begin, end}] steps that were hard. */
  constructor(canvas, curves, motion, { logarithmic, marks, hard }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.picture = document.createElement("canvas");
    this.curves = curves;
    this.motion = motion;
    this.logarithmic = logarithmic;
    this.marks = marks;
    this.hard = hard;
    [this.low, this.high] = logarithmic ? this.decades() : this.range();
  }

  finite() {
    return this.curves.flatMap((curve) => Array.from(curve.values).filter(Number.isFinite));
  }

  range() {
    const values = this.finite();
    let low = values.reduce((a, b) => Math.min(a, b), Infinity);
    let high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (low > high) [low, high] = [0, 1];
    const room = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  /* Whole powers of ten around all positive values; a residual of exactly zero lies on the bottom. */
  decades() {
    const positive = this.finite().filter((value) => value > 0);
    const high = Math.ceil(Math.log10(positive.reduce((a, b) => Math.max(a, b), 1e-16)) + 0.2);
    const low = Math.floor(Math.log10(positive.reduce((a, b) => Math.min(a, b), Math.pow(10, high))));
    return [clamp(low, high - 12, high - 3), high];
  }

  resize(width, height, ratio, theme) {
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    Object.assign(this, { width, height, ratio, theme });
    this.drawPicture();
  }

  x(time) {
    const span = this.motion.duration || 1;
    return MARGIN.left + ((time - this.motion.start) / span) * (this.width - MARGIN.left - MARGIN.right);
  }

  y(value) {
    const level = this.logarithmic ? (value > 0 ? Math.log10(value) : this.low) : value;
    const share = clamp((level - this.low) / (this.high - this.low), 0, 1);
    return this.height - MARGIN.bottom - share * (this.height - MARGIN.top - MARGIN.bottom);
  }

  /* The time under a pixel. */
  timeAt(x) {
    const share = (x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right);
    return this.motion.start + clamp(share, 0, 1) * this.motion.duration;
  }

  drawPicture() {
    const context = this.picture.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = `11px ${this.theme.font}`;
    this.drawAxes(context);
    context.lineJoin = "round";
    for (const curve of this.curves) this.drawCurve(context, curve);
    for (const { begin, end } of this.hard) this.drawHard(context, this.x(begin), this.x(end));
    for (const time of this.marks) this.drawMark(context, this.x(time));
  }

  /* A bar on the axis, below the steps that were hard. */
  drawHard(context, from, to) {
    context.fillStyle = this.theme.hard;
    const width = Math.max(to - from, 1.5);
    context.fillRect((from + to - width) / 2, this.height - MARGIN.bottom - 5, width, 6);
  }

  /* A broken line over the whole height, with a flag. */
  drawMark(context, x) {
    context.strokeStyle = context.fillStyle = this.theme.force;
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, MARGIN.top);
    context.lineTo(x, this.height - MARGIN.bottom);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    for (const [dx, dy] of [[0, 0], [9, 4], [0, 8]]) context.lineTo(x + dx, MARGIN.top + dy);
    context.fill();
  }

  drawAxes(context) {
    const vertical = niceTicks(this.low, this.high, clamp((this.height - 30) / 28, 2, 6));
    const levels = vertical.ticks.filter((level) => !this.logarithmic || Number.isInteger(level));
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const level of levels) {
      const y = Math.round(this.y(this.logarithmic ? Math.pow(10, level) : level)) + 0.5;
      this.drawRule(context, [MARGIN.left, y], [this.width - MARGIN.right, y]);
      context.fillText(this.logarithmic ? "10" + superscript(level) : tickLabel(level, vertical.step), MARGIN.left - 8, y);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    if (!(this.motion.duration > 0)) return;
    const horizontal = niceTicks(this.motion.start, this.motion.end, clamp(this.width / 80, 2, 10));
    for (const time of horizontal.ticks) {
      const unitText = time === horizontal.ticks[horizontal.ticks.length - 1] ? "\u2009s" : "";
      context.fillText(tickLabel(time, horizontal.step) + unitText, Math.min(this.x(time), this.width - 16), this.height - MARGIN.bottom + 7);
    }
  }

  drawRule(context, from, to) {
    context.strokeStyle = this.theme.rule;
    context.fillStyle = this.theme.faint;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  }

  drawCurve(context, curve) {
    context.strokeStyle = this.theme[curve.color] || curve.color;
    context.lineWidth = curve.width || 1.5;
    context.beginPath();
    for (let k = 0; k < curve.time.length; k++) {
      const [x, y] = [this.x(curve.time[k]), this.y(curve.values[k])];
      if (k === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }

  draw(time) {
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const x = this.x(time);
    context.strokeStyle = this.theme.ink;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, MARGIN.top);
    context.lineTo(x, this.height - MARGIN.bottom);
    context.stroke();
    const frame = this.motion.frameAt(time);
    for (const curve of this.curves) {
      if (!Number.isFinite(curve.readings[frame])) continue;
      context.beginPath();
      context.arc(x, this.y(curve.readings[frame]), 3, 0, 2 * Math.PI);
      context.fillStyle = this.theme[curve.color] || curve.color;
      context.fill();
    }
  }
}
