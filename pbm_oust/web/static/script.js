"use strict";
// Pages that show positions: they step from one to another without being loaded anew, and those of a
// board show records as they come. Without this script, each step is a link, and what is new shows
// on loading.
{
  const byId = (id) => document.getElementById(id);
  const slider = byId("slider");
  const RETRY = 60000;
  const TYPED = "textarea, input:not([type=hidden])";

  let wanted = null; // The path to show next; the latest wish replaces those before it.
  let isLoading = false;

  const steps = document.querySelector("[data-steps]"); // All positions stand in the address.

  const latest = slider && slider.dataset.latest;

  const pathOf = (number) => (number === Number(slider.max) ? latest : `${latest}/${number}`);

  const isLatest = () => location.pathname === latest;

  function describe() {
    slider.setAttribute("aria-valuetext", byId("where").textContent);
    const row = document.querySelector("#records [aria-current]");
    const box = document.querySelector(".records");
    if (row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
    else box.scrollTop = 0;
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
    if (id) byId(id)?.focus();
    if (part.contains(document.activeElement)) return;
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  }

  // Puts the parts of a newer page in place of those that are shown, but for what is being typed.
  function renew(page) {
    const held = document.activeElement;
    for (const part of page.querySelectorAll("[data-part]")) {
      const shown = byId(part.id);
      if (!shown || shown.innerHTML === part.innerHTML) continue;
      if (isTyped(shown)) {
        refill(shown, part);
        continue;
      }
      const isHeld = shown.contains(held);
      shown.replaceChildren(...part.childNodes);
      if (isHeld) hold(shown, held.id);
    }
    for (const line of document.querySelectorAll(".does")) line.textContent = "";
    document.title = page.title;
  }

  // Puts the parts of another page of this board in place of those that are shown.
  function replace(page) {
    renew(page);
    if (!slider) return;
    const fresh = page.getElementById("slider");
    slider.max = fresh.max;
    slider.value = fresh.value;
    describe();
  }

  async function show(path, remember) {
    wanted = { path, remember };
    if (isLoading) return;
    isLoading = true;
    document.body.classList.add("busy");
    while (wanted) {
      const { path, remember } = wanted;
      wanted = null;
      try {
        const answer = await fetch(path);
        if (!answer.ok) throw new Error(answer.statusText);
        const text = await answer.text();
        if (remember) history[remember](null, "", answer.url);
        replace(new DOMParser().parseFromString(text, "text/html"));
      } catch {
        if (remember) location.assign(path);
      }
    }
    isLoading = false;
    document.body.classList.remove("busy");
    listen();
  }

  function follow(event) {
    const parts = steps ? ["[data-part]"] : ["#steps", "#records", "#told", "#analysis"];
    const link = event.target.closest(parts.map((part) => `${part} a[href]`).join());
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || !isPlain || event.defaultPrevented) return;
    const { pathname, search } = new URL(link.getAttribute("href"), location);
    if (steps && pathname !== location.pathname) return;
    event.preventDefault();
    show(pathname + search, "pushState");
  }

  function step(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const link = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    const path = link && byId(link)?.getAttribute("href");
    if (link) event.preventDefault();
    if (path) show(path, "replaceState");
  }

  // Loads the page on which a player plays anew, with the turn as far as it is put together.
  let isOld = false;

  async function reload() {
    isOld = true;
    if (isLoading) return;
    isLoading = true;
    while (isOld) {
      isOld = false;
      const asked = new URLSearchParams(location.search);
      asked.delete("done");
      try {
        const answer = await fetch(`${location.pathname}?${asked}`);
        if (answer.ok && !answer.redirected)
          renew(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } catch {
        // The next record brings the page up to date.
      }
    }
    isLoading = false;
    listen();
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

  // Listens only while the page is seen: browsers allow few connections to one server.
  let source = null;
  let retry = 0;

  const heard = () => document.querySelector("[data-live]");
  const path = () => new URL(heard().dataset.live, location).href;

  function listen() {
    clearTimeout(retry);
    const isWanted = !document.hidden && heard();
    const isOpen = source && source.readyState !== EventSource.CLOSED && source.url === path();
    if (isWanted && isOpen) return;
    if (source) source.close();
    source = null;
    if (!isWanted) return;
    source = new EventSource(path());
    source.onmessage = (event) => {
      if (!heard() || event.data === heard().dataset.count) return;
      if (!slider) reload();
      else if (isLatest()) show(location.pathname, null);
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
    slider.addEventListener("input", () => show(pathOf(Number(slider.value)), "replaceState"));
    describe();
  }
  if (slider || steps) {
    document.addEventListener("click", follow);
    document.addEventListener("keydown", step);
    window.addEventListener("popstate", () => show(location.pathname + location.search, null));
  }
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, preview);
  document.addEventListener("visibilitychange", listen);
  listen();
}
