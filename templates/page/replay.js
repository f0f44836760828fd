/* The page: data in, one player that holds time and view, and the parts of the page that show them. */

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const NAMES = ["none", "bodies", "all"];
const LIGHT_FROM = { east: -0.35, north: -0.55, up: 0.76 };

const find = (id) => document.getElementById(id);

/* Colours of the style sheet, for what is drawn by hand. */
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue("--" + name).trim();
  const theme = { font: getComputedStyle(document.body).fontFamily };
  for (const name of ["ink", "faint", "paper", "rule", "grid", "marker", "anchor", "force", "total", "kinetic", "potential", "closure", "hard"]) {
    theme[name] = value(name);
  }
  theme.shadow = [0, 0, 0, Number(value("shadow"))];
  theme.ambient = value("ambient").split(" ").map(Number);
  return theme;
}

const gridStep = (view) => niceTicks(0, norm(subtract(view.high, view.low)) || 1, 9).step;

/* Lines of the ground around a point, fading outwards: pairs of [x, y, z, strength]. */
function gridLines(camera, view) {
  const step = gridStep(view);
  const cells = 14;
  const target = camera.target();
  const [east, north] = [camera.east, camera.north].map((axis) => Math.round(dot(target, axis) / step) * step);
  const vertex = (i, j) => {
    const offset = add(scale(east + i * step, camera.east), scale(north + j * step, camera.north));
    const fade = clamp(1 - (i * i + j * j) / (cells * cells), 0, 1);
    return [...add(offset, scale(view.ground, camera.up)), 0.9 * fade * fade];
  };
  const lines = [];
  for (let i = -cells; i <= cells; i++) {
    for (let j = -cells; j < cells; j += 2) lines.push(vertex(i, j), vertex(i, j + 2), vertex(j, i), vertex(j + 2, i));
  }
  return lines.filter((_, k) => lines[k - (k % 2)][3] + lines[k - (k % 2) + 1][3] > 0.01);
}

/* The speed at which the motion takes a time that a person watches: its own, unless that is too short or too long. */
function openingSpeed(duration) {
  if (duration >= 1.5 && duration <= 120) return 1;
  const wanted = duration < 1.5 ? duration / 4 : duration / 60;
  return SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best));
}

class Player {
  constructor(data, options) {
    this.data = data;
    this.motion = new Motion(data.frames, data.bodies.length, data.contacts);
    this.coarse = readMeshes(data.meshes, false);
    this.scene = new Scene(data, this.coarse);
    this.camera = new Camera(data.view);
    this.overlay = new Overlay(find("overlay"));
    for (const [body, point] of data.traces) this.overlay.toggleTrace(this.motion, body, point, 0);
    this.charts = this.buildCharts();
    this.time = this.motion.start;
    this.playing = false;
    this.speed = openingSpeed(this.motion.duration);
    this.names = "none";
    this.hovered = null;
    this.renderer = this.openRenderer(options.get("renderer"));
    this.theme = readTheme();
    this.last = null;
    this.awaited = false;
  }

  /* WebGL, or the painter where there is none, or where it goes away. */
  openRenderer(wanted) {
    const canvas = find("solids");
    if (wanted !== "painter") {
      try {
        const renderer = new WebglRenderer(canvas, readMeshes(this.data.meshes, true));
        canvas.addEventListener("webglcontextlost", () => this.usePainter());
        return this.noteRenderer(renderer);
      } catch (error) {
        console.info("drawing without WebGL: " + error.message);
      }
    }
    return this.usePainter();
  }

  /* A canvas that was asked for WebGL once gives nothing else: a fresh one takes its place. */
  usePainter() {
    const old = find("solids");
    const fresh = old.cloneNode();
    old.replaceWith(fresh);
    this.renderer = this.noteRenderer(new PainterRenderer(fresh, this.coarse));
    this.refresh();
    return this.renderer;
  }

  noteRenderer(renderer) {
    find("solids").dataset.renderer = renderer.name;
    return renderer;
  }

  buildCharts() {
    const curves = this.data.curves.map((curve) => ({
      chart: curve.chart,
      name: curve.name,
      color: curve.name,
      width: curve.name === "total" ? 2.4 : 1.5,
      time: decode(curve.time, Float64Array),
      values: decode(curve.values, Float64Array),
      readings: decode(curve.readings, Float64Array),
    }));
    const own = ["energy", "closure"].filter((name) => curves.some((curve) => curve.chart === name)).map((name) => {
      const own = curves.filter((curve) => curve.chart === name);
      return new Chart(find(name), own, this.motion, {
        logarithmic: name === "closure",
        marks: name === "energy" ? this.data.warnings.map((warning) => warning.time) : [],
        hard: this.data.hard,
      });
    });
    return [...own, ...this.data.charts.map((chart) => this.buildChosen(chart))];
  }

  /* A chart of what was chosen by name: its title, a word for each curve with its value now, and the curves. */
  buildChosen({ title, curves }) {
    const make = (parent, tag) => parent.appendChild(document.createElement(tag));
    const figure = make(find("chosen"), "figure");
    const caption = make(figure, "figcaption");
    make(caption, "b").textContent = title;
    const box = make(figure, "div");
    box.className = "chart";
    const own = curves.map((curve) => {
      const word = make(caption, "span");
      word.style.color = curve.color;
      word.append(curve.name + " ");
      const [time, values, readings] = [curve.time, curve.values, curve.readings].map((text) => decode(text, Float64Array));
      return { name: curve.name, color: curve.color, time, values, readings, output: make(word, "output") };
    });
    return new Chart(make(box, "canvas"), own, this.motion, { logarithmic: false, marks: [], hard: this.data.hard });
  }

  seek(time) {
    this.time = clamp(time, this.motion.start, this.motion.end);
    this.refresh();
  }

  step(frames) {
    this.setPlaying(false);
    const frame = clamp(this.motion.frameAt(this.time) + frames, 0, this.motion.count - 1);
    this.seek(this.motion.time[frame]);
  }

  /* To the next step that was hard, or the first one again. */
  nextHard() {
    if (!this.data.hard.length) return;
    this.setPlaying(false);
    const next = this.data.hard.find(({ begin, end }) => (begin + end) / 2 > this.time + 1e-9) || this.data.hard[0];
    this.seek((next.begin + next.end) / 2);
  }

  setPlaying(playing) {
    this.playing = playing && this.motion.duration > 0;
    this.last = null;
    const button = find("play");
    button.setAttribute("aria-pressed", String(this.playing));
    button.setAttribute("aria-label", this.playing ? "pause" : "play");
    this.refresh();
  }

  setSpeed(speed) {
    this.speed = speed;
    find("speed").value = String(speed);
  }

  changeSpeed(places) {
    this.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(this.speed) + places, 0, SPEEDS.length - 1)]);
  }

  nextNames() {
    this.names = NAMES[(NAMES.indexOf(this.names) + 1) % NAMES.length];
    find("names").textContent = { none: "names", bodies: "names: bodies", all: "names: all" }[this.names];
    find("names").setAttribute("aria-pressed", String(this.names !== "none"));
    this.refresh();
  }

  toggleFollow() {
    this.camera.setFollow(!this.camera.follow, this.motion.placementAt(this.time).center);
    this.showFollow();
    this.refresh();
  }

  showFollow() {
    find("follow").setAttribute("aria-pressed", String(this.camera.follow));
  }

  resetView() {
    this.camera.reset();
    this.refresh();
  }

  clearTraces() {
    this.overlay.clearTraces();
    this.refresh();
  }

  /* The body under a pixel, and the point of it that is meant: a joint or an end if one is near. */
  target(x, y) {
    const placement = this.motion.placementAt(this.time);
    const hit = this.scene.pick(this.camera.ray(x, y), placement, this.theme);
    if (!hit) return null;
    const lens = this.camera.lens();
    const gap = (point) => {
      const place = lens.project(worldPoint(placement.bodies[hit.body], point));
      return place ? Math.hypot(place[0] - x, place[1] - y) : Infinity;
    };
    const near = this.scene.bodies[hit.body].points.filter((point) => gap(point) < 14);
    near.sort((a, b) => gap(a) - gap(b));
    return { body: hit.body, point: near.length ? near[0] : hit.point };
  }

  hover(x, y) {
    this.hovered = this.target(x, y);
    find("overlay").style.cursor = this.hovered ? "pointer" : "grab";
    this.refresh();
  }

  leave() {
    this.hovered = null;
    this.refresh();
  }

  click(x, y) {
    const target = this.target(x, y);
    if (target) this.overlay.toggleTrace(this.motion, target.body, target.point, 0.03 * this.scene.length);
    this.refresh();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
    const stage = find("stage");
    for (const canvas of [find("solids"), find("overlay")]) {
      canvas.width = Math.round(stage.clientWidth * ratio);
      canvas.height = Math.round(stage.clientHeight * ratio);
    }
    this.camera.resize(stage.clientWidth || 1, stage.clientHeight || 1);
    this.theme = readTheme();
    for (const chart of this.charts) {
      chart.resize(chart.canvas.parentElement.clientWidth, chart.canvas.parentElement.clientHeight, ratio, this.theme);
    }
    if (this.ready) this.draw(); /* at once: a canvas of a new size is empty */
    this.refresh();
  }

  /* Draw once, with the next picture of the screen; while playing, again with each. */
  refresh() {
    if (this.awaited || !this.ready) return;
    this.awaited = true;
    requestAnimationFrame((now) => {
      this.awaited = false;
      this.advance(now);
      this.draw();
      if (this.playing) this.refresh();
    });
  }

  advance(now) {
    if (!this.playing) return;
    const seconds = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    this.time += seconds * this.speed;
    if (this.time > this.motion.end) this.time = this.motion.start;
  }

  draw() {
    const { camera, theme, scene, motion, time } = this;
    const placement = motion.placementAt(time);
    camera.carry(placement.center);
    const lens = camera.lens();
    const { right, above, toward } = camera.axes();
    const light = unit(add(add(scale(-0.62, right), scale(0.7, above)), scale(0.4, toward)));
    const overhead = add(scale(LIGHT_FROM.east, camera.east), scale(LIGHT_FROM.north, camera.north));
    const highlighted = this.hovered ? this.hovered.body : WORLD;
    const items = scene.items(placement, theme);
    const grid = gridLines(camera, this.data.view);
    const shadowLight = add(scale(0.25, overhead), scale(LIGHT_FROM.up, camera.up));
    const { up, ground } = this.data.view;
    this.renderer.draw({ items, grid, lens, up, ground, light, shadowLight, theme, highlighted });
    const tail = 1.2 * this.speed;
    this.overlay.draw({ lens, scene, motion, placement, time, tail, names: this.names, theme, hovered: this.hovered });
    for (const chart of this.charts) chart.draw(time);
    this.showReadings();
  }

  showReadings() {
    const frame = this.motion.frameAt(this.time);
    find("time").textContent = this.time.toFixed(this.motion.duration < 10 ? 3 : 2) + " s";
    find("scrub").value = String((this.time - this.motion.start) / (this.motion.duration || 1));
    find("scrub").style.setProperty("--share", 100 * Number(find("scrub").value) + "%");
    const hard = this.data.hard.find(({ begin, end }) => this.time >= begin && this.time <= end);
    find("hard").textContent = hard ? "hard step: " + hard.text : "";
    for (const chart of this.charts) {
      for (const curve of chart.curves) {
        (curve.output || find("reading-" + curve.name)).textContent = shortNumber(curve.readings[frame]);
      }
    }
  }
}

function fillTexts(data, player) {
  find("title").textContent = data.title;
  find("description").textContent = data.description;
  for (const warning of data.warnings) {
    const line = find("warnings").appendChild(document.createElement("li"));
    const button = line.appendChild(document.createElement("button"));
    button.type = "button";
    button.title = "go there";
    button.textContent = "Warning: " + warning.text;
    button.addEventListener("click", () => {
      player.setPlaying(false);
      player.seek(warning.time);
    });
  }
  find("scale").textContent = "grid " + shortNumber(gridStep(data.view)) + " m";
  if (data.contacts && data.contacts.names.length) {
    const { scale, longest } = data.contacts;
    const cut = longest === null ? "" : "; drawn as " + shortNumber(longest) + " N where larger";
    find("legend").hidden = false;
    find("legend").querySelector("span").textContent = "force of a contact: one grid width is " + shortNumber(gridStep(data.view) / scale) + " N" + cut;
  }
  for (const [name, value] of data.facts) {
    const row = find("facts").insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value;
  }
  for (const speed of SPEEDS) {
    const option = document.createElement("option");
    option.value = String(speed);
    option.textContent = "\u00d7 " + speed;
    find("speed").append(option);
  }
  player.setSpeed(player.speed);
  player.showFollow();
}

function attach(player) {
  const { camera } = player;
  const moved = (action) => (...values) => {
    action(...values);
    player.refresh();
  };
  find("overlay").addEventListener("pointerdown", () => find("hint").classList.add("read"), { once: true });
  attachPicture(find("overlay"), {
    orbit: moved((dx, dy) => camera.orbit(dx, dy)),
    pan: moved((dx, dy) => camera.pan(dx, dy)),
    zoom: moved((factor) => camera.zoom(factor)),
    click: (x, y) => player.click(x, y),
    hover: (x, y) => player.hover(x, y),
    leave: () => player.leave(),
    reset: () => player.resetView(),
  });
  for (const chart of player.charts) attachChart(chart, (time) => player.seek(time));
  const clicks = { play: () => player.setPlaying(!player.playing), names: () => player.nextNames() };
  Object.assign(clicks, { follow: () => player.toggleFollow(), reset: () => player.resetView(), clear: () => player.clearTraces() });
  for (const [id, action] of Object.entries(clicks)) find(id).addEventListener("click", action);
  find("scrub").addEventListener("input", (event) => player.seek(player.motion.start + event.target.value * player.motion.duration));
  find("speed").addEventListener("change", (event) => player.setSpeed(Number(event.target.value)));
  attachKeyboard({
    " ": clicks.play, n: clicks.names, f: clicks.follow, r: clicks.reset, c: clicks.clear,
    h: () => player.nextHard(),
    arrowleft: (shift) => player.step(shift ? -10 : -1),
    arrowright: (shift) => player.step(shift ? 10 : 1),
    arrowup: () => player.changeSpeed(1),
    arrowdown: () => player.changeSpeed(-1),
    home: () => player.seek(player.motion.start),
    end: () => player.seek(player.motion.end),
  });
  new ResizeObserver(() => player.resize()).observe(find("stage"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => player.resize());
}

/* An address may end in #t=1.5 (open at this time, standing still) and #renderer=painter. */
function main() {
  const options = new URLSearchParams(location.hash.slice(1));
  const player = new Player(JSON.parse(find("data").textContent), options);
  fillTexts(player.data, player);
  attach(player);
  player.ready = true;
  player.resize();
  const still = options.has("t") || matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (options.has("t")) player.seek(Number(options.get("t")) || 0);
  player.setPlaying(!still);
}

main();
