/* Hands: mouse, pen and touch on the picture, a finger on the curves, and the keyboard. */

const CLICK_MOVE = 5; /* pixels that a click may move */

/* One finger or button turns, two fingers or the other button move, wheel and pinch go nearer.
   actions: {orbit(dx, dy), pan(dx, dy), zoom(factor), click(x, y), hover(x, y), leave(), reset()}. */
function attachPicture(element, actions) {
  const pointers = new Map();
  let moved = 0;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], gap: Math.hypot(a[0] - b[0], a[1] - b[1]) || 1 };
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    moved = pointers.size > 1 ? Infinity : 0;
    actions.leave();
  });
  element.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    const last = pointers.get(event.pointerId);
    if (!last) {
      if (event.pointerType === "mouse") actions.hover(x, y);
      return;
    }
    const before = pointers.size === 2 ? spread() : null;
    pointers.set(event.pointerId, [x, y]);
    const [dx, dy] = [x - last[0], y - last[1]];
    moved += Math.hypot(dx, dy);
    if (before) {
      const after = spread();
      actions.zoom(before.gap / after.gap);
      actions.pan(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
    } else if (moved > CLICK_MOVE) {
      const moving = event.shiftKey || event.buttons & 6;
      (moving ? actions.pan : actions.orbit)(dx, dy);
    }
  });
  element.addEventListener("pointerup", (event) => {
    if (pointers.delete(event.pointerId) && moved <= CLICK_MOVE && event.button === 0) actions.click(...place(event));
  });
  element.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  element.addEventListener("pointerleave", () => actions.leave());
  element.addEventListener("dblclick", () => actions.reset());
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  const wheel = (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
    actions.zoom(Math.exp(clamp(pixels, -200, 200) * 0.0015));
  };
  element.addEventListener("wheel", wheel, { passive: false });
}

/* Pressing and dragging on a chart sets the time. */
function attachChart(chart, seek) {
  const move = (event) => seek(chart.timeAt(event.clientX - chart.canvas.getBoundingClientRect().left));
  chart.canvas.addEventListener("pointerdown", (event) => {
    chart.canvas.setPointerCapture(event.pointerId);
    move(event);
  });
  chart.canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) move(event);
  });
}

/* keys: {name of the key in lower case: action(shift)}. A menu keeps its own keys; everything else is ours. */
function attachKeyboard(keys) {
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLSelectElement) return;
    if (event.target instanceof HTMLButtonElement && event.key === "Enter") return;
    event.preventDefault();
    action(event.shiftKey);
  });
}
