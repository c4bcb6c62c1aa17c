"use strict";
// A board: turns come stone by stone, its points are reached by keys and by fingers, and a line below
// it says what a placement does. Without this script, a board shows each position at once, and each of
// its points is a link.
{
  const byId = (id) => document.getElementById(id);

  // A turn is shown placement by placement: each stone appears, and those that it takes fade.
  const FADE = 200;
  const STEP = 500; // From one placement to the next.
  const MOST = 4000; // For all of them.
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  const boardIn = (part) => part.querySelector("svg.board");

  // The stones of a board, each as its side and its place: `x40,80`.
  const stonesOf = (board) =>
    [...board.querySelectorAll(".stones circle:not(.gone)")].map(
      (stone) => stone.parentNode.classList[1] + ["cx", "cy"].map((name) => stone.getAttribute(name))
    );

  // The stones that came (+) and went (-) latest on a board: `+x40,80 -o40,120`.
  const movesOf = (board) => board.dataset.moves?.split(" ") || [];

  // Returns what has come and gone on a board since it had these stones; nothing if that is not known.
  function since(board, before) {
    const moves = movesOf(board);
    const stones = new Set(stonesOf(board));
    for (let nth = moves.length; nth--; ) {
      const stone = moves[nth].slice(1);
      if (moves[nth][0] === "-") stones.add(stone);
      else stones.delete(stone);
      const isBefore = stones.size === before.length && before.every((each) => stones.has(each));
      if (isBefore && moves[nth][0] === "+") return moves.slice(nth);
    }
    return [];
  }

  const appear = (drawn, delay) =>
    drawn?.animate({ opacity: [delay ? 0 : 0.45, 1] }, { duration: FADE, delay, fill: "backwards" });

  // Lets stones come and go on a board, in their order, up to what it shows. Whatever takes the place
  // of the board ends it.
  function play(board, moves, pause = 0) {
    if (still.matches) return;
    for (const each of board.getAnimations({ subtree: true })) each.cancel();
    for (const each of board.querySelectorAll(".gone")) each.remove();
    const step = Math.min(STEP, MOST / moves.filter((move) => move[0] === "+").length);
    let at = pause - step;
    for (const move of moves) {
      const [x, y] = move.slice(2).split(",");
      const there = (drawn) => board.querySelector(`${drawn}[cx="${x}"][cy="${y}"]`);
      const stones = `.stones.${move[1]} circle`;
      const gone = () => {
        const stone = board.querySelector(".stones circle").cloneNode();
        for (const [name, value] of [["cx", x], ["cy", y], ["class", "gone"]])
          stone.setAttribute(name, value);
        return board.querySelector(`.stones.${move[1]}`).appendChild(stone);
      };
      if (move[0] === "+") {
        at += step;
        appear(there(`${stones}:not(.gone)`) || gone(), at);
        appear(there(".latest circle"), at);
      } else {
        const stone = there(`${stones}.gone`) || gone();
        const fading = { duration: FADE, delay: at + FADE, fill: "forwards" };
        stone.animate({ opacity: [1, 0] }, fading).onfinish = () => stone.remove();
        appear(there(".taken circle"), at + FADE);
      }
    }
    for (const each of board.querySelectorAll(".taps use[href$='-c']")) appear(each, at + 2 * FADE);
  }

  // Shows the latest turn on the board again.
  function playAgain(event) {
    if (!event.target.closest("#again") || still.matches) return;
    event.preventDefault();
    const board = boardIn(byId("board"));
    const moves = movesOf(board);
    const placed = moves.filter((move) => move[0] === "+");
    const other = moves.lastIndexOf(placed.findLast((move) => move[1] !== placed.at(-1)[1]));
    play(board, moves.slice(moves.findIndex((move, nth) => nth > other && move[0] === "+")), STEP);
  }

  // The points of the board are one stop of the Tab key: arrows move from one to another.
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  let cursor = null; // Where the keys are on the board.

  const points = () => [...document.querySelectorAll("#board .taps a")];

  const placeOf = (point) => ["x", "y"].map((axis) => point.firstElementChild[axis].baseVal.value);

  const away = (point) => Math.hypot(...placeOf(point).map((at, axis) => at - cursor[axis]));

  // Lets Tab stop at the point where the keys are, or at the one nearest to that; returns it.
  function stop() {
    const all = points();
    if (!all.length) return null;
    const { width, height } = all[0].ownerSVGElement.viewBox.baseVal;
    cursor ??= [width / 2, height / 2];
    const near = all.reduce((one, other) => (away(other) < away(one) ? other : one));
    for (const point of all) point.tabIndex = point === near ? 0 : -1;
    return near;
  }

  // Moves the keys to the next point in the direction of an arrow.
  function move(event) {
    const point = event.target.closest?.("#board .taps a");
    if (!point || !ARROWS[event.key] || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const [right, down] = ARROWS[event.key];
    cursor = placeOf(point);
    const far = (other) => {
      const [x, y] = placeOf(other).map((at, axis) => at - cursor[axis]);
      const ahead = x * right + y * down;
      return ahead > 0 ? ahead + 1.2 * Math.abs(x * down - y * right) : Infinity;
    };
    const next = points().reduce((one, other) => (far(other) < far(one) ? other : one), point);
    if (far(next) < Infinity) next.focus();
  }

  // Where the points of a board are too close for a finger, the first tap shows what is around it.
  const CLOSE = 24; // Pixels between neighbouring points.
  const AROUND = 9; // How many points are across then.
  const BETWEEN = 40; // From one point to the next, as the picture counts.
  let zoomed = ""; // The part of the picture that is shown.
  let isPressed = false; // Whether a click comes of a finger, not of a key.

  function zoom(event) {
    const board = event.target.closest?.("#board svg");
    if (!board?.querySelector(".taps")) return false;
    const between = BETWEEN * board.querySelector(".inset").getScreenCTM().a;
    if (between >= CLOSE) return false;
    const { width, height } = board.viewBox.baseVal;
    const part = (AROUND * between) / (width * board.getScreenCTM().a);
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
    const start = (at, whole) => Math.max(0, Math.min(at - (part * whole) / 2, (1 - part) * whole));
    zoomed = [start(x, width), start(y, height), part * width, part * height].join(" ");
    look();
    return true;
  }

  // Shows the part of the board that was tapped, as long as one may tap there.
  function look() {
    const board = document.querySelector("#board svg");
    if (!board?.querySelector(".taps")) zoomed = "";
    const { width, height } = board?.querySelector(".ground") || {};
    if (board) board.setAttribute("viewBox", zoomed || `0 0 ${width.baseVal.value} ${height.baseVal.value}`);
    if (byId("whole")) byId("whole").hidden = !zoomed;
  }

  function lookAtAll() {
    zoomed = "";
    look();
  }

  // Where a placement is made at once, a finger prepares it first: a second tap on the stone makes it, or
  // the button below the board.
  function prepare(event) {
    const point = event.target.closest?.(".taps a");
    const line = below(point?.closest(".picture"));
    if (!line?.dataset.place || point.matches(".prepared")) return false;
    for (const each of document.querySelectorAll(".prepared")) each.classList.remove("prepared");
    point.classList.add("prepared");
    const words = point.getAttribute("aria-label");
    const button = document.createElement("button");
    button.textContent = line.dataset.place.replace("{}", words.split(/[ ,]/)[0]);
    button.addEventListener("click", () => point.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })));
    line.replaceChildren(words.includes(" ") ? words : "", button);
    return true;
  }

  function tap(event) {
    const isTap = isPressed && matchMedia("(pointer: coarse)").matches;
    isPressed = false;
    if (!isTap || !(zoom(event) || prepare(event))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Sends a turn that is whole by a second tap on its stones, or by the key that placed the last.
  function playPrepared(event) {
    const stone = event.target.closest?.("#board :is(.stones, .latest) circle");
    const [x, y] = ["cx", "cy"].map((name) => stone?.getAttribute(name));
    const isOwn = stone && stone.closest("svg").querySelector(`.latest circle[cx="${x}"][cy="${y}"]`);
    const isKey = event.key === "Enter" && !event.repeat && event.target.id === "board";
    if (isOwn || isKey) byId("play")?.form.requestSubmit();
  }

  const below = (picture) => picture?.parentNode.querySelector(".does");

  // Says below the board what a placement does, before it is made.
  function preview(event) {
    const line = below(event.target.closest?.(".picture"));
    if (line) line.textContent = event.target.closest(".taps a")?.getAttribute("aria-label") || "";
  }

  // A game that plays itself on the front page, until one stops it; it stands still for whoever wants
  // nothing to move.
  function film(button) {
    const circles = [...button.closest("[data-part]").querySelectorAll("[data-seen]")];
    const last = Math.max(...circles.map((each) => Number(each.dataset.seen.split("-")[1])));
    let at = last;
    let timer = 0;

    function next() {
      at = at < last ? at + 1 : 0;
      for (const circle of circles) {
        const [from, to] = circle.dataset.seen.split("-").map(Number);
        circle.setAttribute("visibility", from <= at && at <= to ? "visible" : "hidden");
      }
      timer = setTimeout(next, at < last ? 1200 : 6000);
    }

    function turn() {
      clearTimeout(timer);
      button.textContent = timer ? button.dataset.still : button.dataset.moving;
      if (timer) timer = 0;
      else next();
    }

    button.hidden = false;
    button.addEventListener("click", turn);
    button.textContent = button.dataset.still;
    if (!still.matches) turn();
  }

  let stones = null; // Those of the board that leaves.

  document.addEventListener("leave", ({ target }) => (stones = boardIn(target) && stonesOf(boardIn(target))));
  document.addEventListener("come", ({ target, detail: isHeld }) => {
    const board = boardIn(target);
    const near = stop();
    const held = cursor;
    if (isHeld && target.contains(near)) near.focus({ preventScroll: true });
    cursor = held; // The focus may be beside it, as long as there is a stone.
    if (board && zoomed) look();
    if (board && below(target)) below(target).textContent = "";
    if (board && stones) play(board, since(board, stones));
  });
  document.addEventListener("focusin", (event) => {
    const point = event.target.closest?.("#board .taps a");
    if (!point) return;
    cursor = placeOf(point);
    stop();
  });
  stop();
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, preview);
  document.addEventListener("keydown", move, true);
  document.addEventListener("pointerup", () => (isPressed = true));
  document.addEventListener("click", tap, true);
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, playPrepared);
  document.addEventListener("click", playAgain, true);
  byId("whole")?.addEventListener("click", lookAtAll);
  if (byId("film")) film(byId("film"));
}
