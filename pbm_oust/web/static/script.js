"use strict";
// Pages that show positions: they step from one to another without being loaded anew, and those of a
// board show records as they come. Without this script, each step is a link, and what is new shows
// on loading.
{
  const byId = (id) => document.getElementById(id);
  const slider = byId("slider");
  const RETRY = 60000;
  const TYPED = "textarea, input:not([type=hidden])";

  let wanted = null; // What to ask for next; the latest wish replaces those before it.
  let isLoading = false;

  const steps = document.querySelector("[data-steps]"); // All positions stand in the address.

  const pathOf = (number) =>
    number === Number(slider.max) ? slider.dataset.latest : slider.dataset.before + number;

  // Shows in the list of moves the one after which the board is shown.
  function scroll() {
    const box = document.querySelector(".records");
    const row = box?.querySelector("[aria-current]")?.closest("tr");
    if (box) box.scrollTop = row ? row.offsetTop - box.clientHeight / 2 : 0;
  }

  // Whether somebody types, or has typed, in a part of the page.
  const isTyped = (part) =>
    [...part.querySelectorAll(TYPED)].some(
      (field) => field === document.activeElement || field.value !== field.defaultValue
    );

  const deedOf = (form) => ["deed", "command"].map((name) => form.elements[name]?.value).join();

  // Lets the forms of a part say what the same forms of a newer page say without showing it.
  function refill(shown, part) {
    for (const form of shown.querySelectorAll("form")) {
      const same = [...part.querySelectorAll("form")].find((each) => deedOf(each) === deedOf(form));
      for (const field of same ? same.querySelectorAll("input[type=hidden]") : [])
        if (form.elements[field.name]) form.elements[field.name].value = field.value;
    }
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

  // Moves the keys to the next point in a direction.
  function move(point, [right, down]) {
    cursor = placeOf(point);
    const far = (other) => {
      const [x, y] = placeOf(other).map((at, axis) => at - cursor[axis]);
      const ahead = x * right + y * down;
      return ahead > 0 ? ahead + 1.2 * Math.abs(x * down - y * right) : Infinity;
    };
    const next = points().reduce((one, other) => (far(other) < far(one) ? other : one), point);
    if (far(next) < Infinity) next.focus();
  }

  // Focuses what is there in place of what had the focus; if that is gone, its part of the page.
  function hold(part, id) {
    const near = stop();
    if (part.contains(near)) near.focus({ preventScroll: true });
    else if (id) byId(id)?.focus();
    if (part.contains(document.activeElement)) return;
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  }

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
  function playAgain() {
    const board = boardIn(byId("board"));
    const moves = movesOf(board);
    const placed = moves.filter((move) => move[0] === "+");
    const other = moves.lastIndexOf(placed.findLast((move) => move[1] !== placed.at(-1)[1]));
    play(board, moves.slice(moves.findIndex((move, nth) => nth > other && move[0] === "+")), STEP);
  }

  // Puts the parts of a newer page in place of those that are shown, but for what is being typed. What
  // was typed in a form that has been sent is no longer.
  function renew(page, form) {
    const held = document.activeElement;
    for (const part of page.querySelectorAll("[data-part]")) {
      const shown = byId(part.id);
      if (!shown || shown.innerHTML === part.innerHTML) continue;
      if (isTyped(shown) && !(form && shown.contains(form))) {
        refill(shown, part);
        continue;
      }
      const isHeld = shown.contains(held);
      const before = boardIn(shown) && stonesOf(boardIn(shown));
      shown.replaceChildren(...part.childNodes);
      if (isHeld) hold(shown, held.id);
      if (before && boardIn(shown)) play(boardIn(shown), since(boardIn(shown), before));
    }
    for (const line of document.querySelectorAll(".does")) line.textContent = "";
    document.title = page.title;
    if (zoomed) look();
    stop();
    turn(page);
  }

  // Puts another page in place of this one, as far as they have the same parts, once `form` was sent.
  function replace(page, form) {
    renew(page, form);
    scroll();
    if (!slider) return;
    const fresh = page.getElementById("slider");
    for (const name of ["max", "aria-valuetext"]) slider.setAttribute(name, fresh.getAttribute(name));
    slider.value = fresh.value;
  }

  // This page: with the turn as far as it is put together, but not what was just done.
  function here() {
    const asked = new URLSearchParams(location.search);
    asked.delete("done");
    return `${location.pathname}?${asked}`;
  }

  // Asks for a page, or sends a form, and shows what is answered. `remember` says what becomes of the
  // address; without a path, this page is shown as it is now. Nothing comes before a form, and news wait:
  // if what comes before shows them, that stays.
  async function show(ask) {
    if (wanted && (wanted.form || ask.news)) return;
    wanted = ask;
    if (isLoading) return;
    isLoading = true;
    document.body.classList.add("busy");
    while (wanted) {
      const { path = here(), remember, form, body, news } = wanted;
      wanted = null;
      if (news && news === heard()?.dataset.count) continue;
      try {
        const answer = await fetch(path, body && { method: "POST", body });
        if (!answer.ok) throw new Error(answer.statusText);
        const text = await answer.text();
        if (remember) history[remember](null, "", answer.url);
        else if (new URL(answer.url).pathname !== location.pathname) continue;
        replace(new DOMParser().parseFromString(text, "text/html"), form);
      } catch {
        if (form) form.submit();
        else if (remember) location.assign(path);
      }
    }
    isLoading = false;
    document.body.classList.remove("busy");
    listen();
  }

  function follow(event) {
    const link = event.target.closest("[data-part] a[href]");
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || !isPlain || event.defaultPrevented) return;
    if (link.id === "again" && !still.matches) {
      event.preventDefault();
      playAgain();
      return;
    }
    const { pathname, search } = new URL(link.getAttribute("href"), location);
    const isHere = steps
      ? pathname === location.pathname
      : /^(\/\d+)?$/.test(pathname.replace(slider.dataset.latest, ""));
    if (!isHere) return;
    event.preventDefault();
    show({ path: pathname + search, remember: "pushState" });
  }

  // Sends what is done on the board that is shown.
  function send(event) {
    const form = event.target;
    if (form.method !== "post" || new URL(form.action).pathname !== location.pathname) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    show({ path: form.action, remember: "pushState", form, body });
  }

  const KEYS = {
    ArrowLeft: "previous", ArrowRight: "next", "[": "previous", "]": "next", Home: "first", End: "latest",
    Escape: "back",
  };

  function step(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const point = event.target.closest("#board .taps a");
    if (point && ARROWS[event.key]) {
      event.preventDefault();
      move(point, ARROWS[event.key]);
      return;
    }
    const link = byId(KEYS[event.key]);
    if (!link) return;
    event.preventDefault();
    const path = link.getAttribute("href");
    if (path) show({ path, remember: "replaceState" });
  }

  // Where the points of a board are too close for a finger, the first tap shows what is around it.
  const CLOSE = 24; // Pixels between neighbouring points.
  const AROUND = 9; // How many points are across then.
  const BETWEEN = 40; // From one point to the next, as the picture counts.
  let zoomed = ""; // The part of the picture that is shown.
  let isPressed = false; // Whether a click comes of a finger, not of a key.

  function zoom(event) {
    const board = event.target.closest?.("#board svg");
    const isTap = isPressed && matchMedia("(pointer: coarse)").matches;
    isPressed = false;
    if (!isTap || !board?.querySelector(".taps")) return;
    const between = BETWEEN * board.querySelector(".inset").getScreenCTM().a;
    if (between >= CLOSE) return;
    event.preventDefault();
    event.stopPropagation();
    const { width, height } = board.viewBox.baseVal;
    const part = (AROUND * between) / (width * board.getScreenCTM().a);
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
    const start = (at, whole) => Math.max(0, Math.min(at - (part * whole) / 2, (1 - part) * whole));
    zoomed = [start(x, width), start(y, height), part * width, part * height].join(" ");
    look();
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

  // Says below the board what a placement does, before it is made.
  function preview(event) {
    const link = event.target.closest?.(".taps a");
    const picture = event.target.closest?.(".picture");
    if (!picture) return;
    const below = picture.nextElementSibling;
    const isThere = below?.matches(".does");
    if (!isThere && !picture.querySelector(".taps")) return;
    const line = isThere ? below : document.createElement("p");
    line.className = "does";
    line.textContent = link ? link.getAttribute("aria-label") : "";
    picture.after(line);
  }

  // What is settled on this page and kept by the browser: boxes to check.
  const isOn = (id) => Boolean(byId(id)?.checked && !byId(id).closest("[hidden]"));

  async function keep(box) {
    if (box.id === "alerts" && box.checked)
      box.checked = (await Notification.requestPermission()) === "granted";
    localStorage.setItem(box.id, box.checked ? "on" : "");
    if (box.id === "bare") document.documentElement.classList.toggle("bare", box.checked);
  }

  function recall(box) {
    if (box.id === "alerts" && !("Notification" in window && Notification.permission !== "denied")) return;
    box.closest("p").hidden = false;
    box.checked = localStorage.getItem(box.id) === "on";
    box.addEventListener("change", () => keep(box));
  }

  function sound() {
    const context = new AudioContext();
    const tone = new OscillatorNode(context, { type: "triangle", frequency: 523 });
    const volume = new GainNode(context, { gain: 0.3 });
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.3);
    tone.connect(volume).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.3);
    tone.onended = () => context.close();
  }

  const icon = document.querySelector("link[rel=icon]"); // Of a player, with how many boards wait for them.

  // Shows in the icon whether a newer page says that boards wait, and tells whoever does not see it.
  function turn(page) {
    const fresh = page.querySelector("link[rel=icon]");
    if (!icon?.dataset.turns || !fresh) return;
    const isMore = Number(fresh.dataset.turns) > Number(icon.dataset.turns);
    icon.dataset.turns = fresh.dataset.turns;
    icon.href = fresh.href;
    if (!(isMore && document.hidden && isOn("alerts"))) return;
    const alert = new Notification(document.title, { tag: location.pathname, icon: icon.href });
    alert.onclick = () => window.focus();
  }

  // Listens while the page is seen, and always to the boards of a player: browsers allow few
  // connections to one server.
  let source = null;
  let retry = 0;

  const heard = () => document.querySelector("[data-live]");
  const path = () => new URL(heard().dataset.live, location).href;

  function listen() {
    clearTimeout(retry);
    const isWanted = heard() && (!document.hidden || icon?.dataset.turns);
    const isOpen = source && source.readyState !== EventSource.CLOSED && source.url === path();
    if (isWanted && isOpen) return;
    if (source) source.close();
    source = null;
    if (!isWanted) return;
    source = new EventSource(path());
    source.onmessage = (event) => {
      if (!heard() || event.data === heard().dataset.count) return;
      if (isOn("sound") && !isLoading) sound();
      show({ news: event.data });
    };
    source.onerror = () => {
      if (source && source.readyState === EventSource.CLOSED) retry = setTimeout(listen, RETRY);
    };
  }

  // What is not replaced leads where it led, whatever address the page gets.
  function fix() {
    for (const link of document.querySelectorAll("a[href]:not([href^='#'])"))
      if (!link.closest("[data-part]")) link.href = link.href;
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
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) turn();
  }

  if (slider) {
    fix();
    slider.hidden = false;
    slider.addEventListener("input", () =>
      show({ path: pathOf(Number(slider.value)), remember: "replaceState" })
    );
  }
  if (slider || steps) {
    scroll();
    document.addEventListener("click", follow);
    document.addEventListener("keydown", step);
    document.addEventListener("submit", send);
    window.addEventListener("popstate", () => show({}));
  }
  document.addEventListener("focusin", (event) => {
    const point = event.target.closest?.("#board .taps a");
    if (!point) return;
    cursor = placeOf(point);
    stop();
  });
  stop();
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, preview);
  document.addEventListener("pointerup", () => (isPressed = true));
  document.addEventListener("click", zoom, true);
  byId("whole")?.addEventListener("click", lookAtAll);
  document.addEventListener("visibilitychange", listen);
  listen();
  for (const box of document.querySelectorAll("[data-kept]")) recall(box);
  if (byId("film")) film(byId("film"));
  if (localStorage.getItem("bare") === "on") document.documentElement.classList.add("bare");
}
