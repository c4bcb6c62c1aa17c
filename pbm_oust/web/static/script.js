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

  // Focuses what is there in place of what had the focus; if that is gone, its part of the page.
  function hold(part, id) {
    if (!part.contains(document.activeElement) && id) byId(id)?.focus();
    if (part.contains(document.activeElement)) return;
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  }

  // Puts the parts of a newer page in place of those that are shown, but for what is being typed. What
  // was typed in a form that has been sent is no longer. A part is told that it leaves, and that another
  // one has come, with whether it had the focus.
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
      const tell = (what) => shown.dispatchEvent(new CustomEvent(what, { bubbles: true, detail: isHeld }));
      tell("leave");
      shown.replaceChildren(...part.childNodes);
      tell("come");
      if (isHeld) hold(shown, held.id);
    }
    document.title = page.title;
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
    PageUp: "previous", PageDown: "next", Escape: "back",
  };

  function step(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea")) return;
    const link = byId(KEYS[event.key]);
    if (!link) return;
    event.preventDefault();
    const path = link.getAttribute("href");
    if (path) show({ path, remember: "replaceState" });
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
  document.addEventListener("visibilitychange", listen);
  listen();
  for (const box of document.querySelectorAll("[data-kept]")) recall(box);
  if (localStorage.getItem("bare") === "on") document.documentElement.classList.add("bare");
}
