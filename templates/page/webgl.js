/* Drawing with the graphics processor: solids with light, their shadow on the ground, and the lines of the grid. */

const SOLID_VERTEX = `
  attribute vec3 position, normal;
  uniform mat4 model, viewProjection;
  uniform mat3 normals;
  varying vec3 place, outward;
  varying vec2 inside;
  void main() {
    inside = position.xy;
    vec4 world = model * vec4(position, 1.0);
    place = world.xyz;
    outward = normals * normal;
    gl_Position = viewProjection * world;
  }`;

const SOLID_FRAGMENT = `
  precision mediump float;
  uniform vec3 color, eye, up, light;
  uniform vec2 ambient;
  uniform float glow, stripes;
  uniform vec4 flat_color;
  varying vec3 place, outward;
  varying vec2 inside;
  void main() {
    if (flat_color.a > 0.0) { gl_FragColor = flat_color; return; }
    vec3 n = normalize(outward), toward = normalize(eye - place);
    float sky = mix(ambient.x, ambient.y, 0.5 + 0.5 * dot(n, up));
    float key = max(dot(n, light), 0.0);
    float shine = pow(max(dot(n, normalize(light + toward)), 0.0), 48.0);
    float rim = pow(1.0 - max(dot(n, toward), 0.0), 3.0);
    float tone = 1.0 + stripes * clamp(150.0 * inside.x * inside.y, -1.0, 1.0);
    vec3 lit = tone * pow(color, vec3(2.2)) * (sky + 0.72 * key + glow) + 0.16 * shine + 0.05 * rim * sky;
    gl_FragColor = vec4(pow(lit, vec3(1.0 / 2.2)), 1.0);
  }`;

const LINE_VERTEX = `
  attribute vec4 vertex;
  uniform mat4 viewProjection;
  varying float strength;
  void main() {
    strength = vertex.w;
    gl_Position = viewProjection * vec4(vertex.xyz, 1.0);
  }`;

const LINE_FRAGMENT = `
  precision mediump float;
  uniform vec4 color;
  varying float strength;
  void main() { gl_FragColor = color * strength; }`;

class WebglRenderer {
  /* Throws if the browser has no WebGL. */
  constructor(canvas, meshes) {
    const gl = canvas.getContext("webgl", { antialias: true, alpha: true, premultipliedAlpha: true, stencil: true });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    this.name = "webgl";
    this.solidProgram = buildProgram(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.lineProgram = buildProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.lineBuffer = gl.createBuffer();
    this.buffers = {};
    for (const [name, solid] of Object.entries({ ...buildSolids(true), ...meshes })) {
      this.buffers[name] = {
        positions: filledBuffer(gl, solid.positions),
        normals: filledBuffer(gl, solid.normals),
        count: solid.positions.length / 3,
      };
    }
  }

  /* picture: {items, grid, lens, up, ground, light, theme, highlighted}; the canvas already has its size. */
  draw(picture) {
    const gl = this.gl;
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.DEPTH_TEST);
    const above = dot(picture.up, picture.lens.eye) > picture.ground;
    this.drawLines(picture);
    if (above) this.drawShadow(picture);
    gl.enable(gl.DEPTH_TEST);
    this.drawSolids(picture, picture.items.filter((item) => !item.above));
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSolids(picture, picture.items.filter((item) => item.above));
  }

  drawSolids(picture, items) {
    const { gl, solidProgram: program } = this;
    const set = program.uniforms;
    this.useSolids(picture);
    gl.uniform4f(set.flat_color, 0, 0, 0, 0);
    for (const item of items) {
      gl.uniformMatrix4fv(set.model, false, placementMatrix(item.position, item.orientation, item.size));
      gl.uniformMatrix3fv(set.normals, false, normalMatrix(item.orientation, item.size));
      gl.uniform3fv(set.color, item.color);
      gl.uniform1f(set.stripes, item.stripes);
      gl.uniform1f(set.glow, item.body === picture.highlighted && item.body !== WORLD ? 0.35 : 0);
      this.drawSolid(this.buffers[item.solid]);
    }
  }

  /* The stencil lets every pixel be darkened once, however many solids stand above it. */
  drawShadow(picture) {
    const { gl, solidProgram: program } = this;
    const flatten = shadowMatrix(picture.shadowLight, picture.up, picture.ground);
    this.useSolids(picture);
    gl.uniform4fv(program.uniforms.flat_color, picture.theme.shadow);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.disable(gl.CULL_FACE);
    for (const item of picture.items.filter((item) => !item.above)) {
      const model = multiplyMatrices(flatten, placementMatrix(item.position, item.orientation, item.size));
      gl.uniformMatrix4fv(program.uniforms.model, false, model);
      this.drawSolid(this.buffers[item.solid]);
    }
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.STENCIL_TEST);
  }

  useSolids(picture) {
    const { gl, solidProgram: program } = this;
    gl.useProgram(program.handle);
    gl.uniformMatrix4fv(program.uniforms.viewProjection, false, picture.lens.viewProjection);
    gl.uniform3fv(program.uniforms.eye, picture.lens.eye);
    gl.uniform3fv(program.uniforms.up, picture.up);
    gl.uniform3fv(program.uniforms.light, picture.light);
    gl.uniform2fv(program.uniforms.ambient, picture.theme.ambient);
  }

  drawSolid(buffers) {
    const { gl, solidProgram: program } = this;
    this.bind(program.attributes.position, buffers.positions, 3);
    this.bind(program.attributes.normal, buffers.normals, 3);
    gl.drawArrays(gl.TRIANGLES, 0, buffers.count);
  }

  drawLines(picture) {
    const { gl, lineProgram: program } = this;
    const [r, g, b] = channels(picture.theme.grid);
    gl.useProgram(program.handle);
    gl.uniformMatrix4fv(program.uniforms.viewProjection, false, picture.lens.viewProjection);
    gl.uniform4f(program.uniforms.color, r, g, b, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(picture.grid.flat()), gl.DYNAMIC_DRAW);
    this.bind(program.attributes.vertex, this.lineBuffer, 4);
    gl.drawArrays(gl.LINES, 0, picture.grid.length);
  }

  bind(attribute, buffer, size) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(attribute);
    gl.vertexAttribPointer(attribute, size, gl.FLOAT, false, 0, 0);
  }
}

function filledBuffer(gl, values) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  return buffer;
}

/* {handle, uniforms, attributes}: a linked program and the places of its inputs by name. */
function buildProgram(gl, vertexText, fragmentText) {
  const handle = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error("WebGL: " + gl.getProgramInfoLog(handle));
  const names = (kind, get) =>
    Array.from({ length: gl.getProgramParameter(handle, kind) }, (_, k) => get.call(gl, handle, k).name);
  const uniforms = {};
  for (const name of names(gl.ACTIVE_UNIFORMS, gl.getActiveUniform)) uniforms[name] = gl.getUniformLocation(handle, name);
  const attributes = {};
  for (const name of names(gl.ACTIVE_ATTRIBUTES, gl.getActiveAttrib)) attributes[name] = gl.getAttribLocation(handle, name);
  return { handle, uniforms, attributes };
}
