"use strict";
// The page of a board: steps from position to position without loading it anew, and shows records
// as they come. Without this script, each step is a link.
{
  const byId = (id) => document.getElementById(id);
  const slider = byId("slider");
  const RETRY = 60000;

  let wanted = null; // The path to show next; the latest wish replaces those before it.
  let isLoading = false;

  // Links of exported pages say where they lead from the address that the page was loaded from.
  const pathTo = (link) => new URL(link, document.baseURI).pathname;
  const latest = slider && pathTo(slider.dataset.latest);
  const start = slider && slider.dataset.start && pathTo(slider.dataset.start);

  const pathOf = (number) =>
    number === Number(slider.max) ? latest : start.replace(/0(?=(\.html)?$)/, number);

  const isLatest = () => location.pathname === latest;

  function describe() {
    slider.setAttribute("aria-valuetext", byId("where").textContent);
    const row = document.querySelector("#records [aria-current]");
    const box = document.querySelector(".records");
    if (row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
    else box.scrollTop = 0;
  }

  // Puts the parts of another page of this board in place of those that are shown.
  function replace(page) {
    const held = document.activeElement && document.activeElement.id;
    for (const part of page.querySelectorAll("[data-part]")) {
      const shown = byId(part.id);
      if (shown.innerHTML !== part.innerHTML) shown.replaceChildren(...part.childNodes);
    }
    const fresh = page.getElementById("slider");
    slider.max = fresh.max;
    slider.value = fresh.value;
    document.title = page.title;
    const again = held && byId(held);
    if (again && again !== document.activeElement) again.focus();
    describe();
  }

  async function show(path, remember) {
    wanted = { path, remember };
    if (isLoading) return;
    isLoading = true;
    while (wanted) {
      const { path, remember } = wanted;
      wanted = null;
      try {
        const answer = await fetch(path);
        if (!answer.ok) throw new Error(answer.statusText);
        const text = await answer.text();
        if (remember) history[remember](null, "", path);
        replace(new DOMParser().parseFromString(text, "text/html"));
      } catch {
        if (remember) location.assign(path);
      }
    }
    isLoading = false;
    listen();
  }

  function follow(event) {
    const parts = ["#steps", "#records", "#told", "#analysis"];
    const link = event.target.closest(parts.map((part) => `${part} a[href]`).join());
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    show(link.pathname, "pushState");
  }

  function step(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const link = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    const path = link && byId(link).getAttribute("href");
    if (link) event.preventDefault();
    if (path) show(path, "replaceState");
  }

  // Listens only while the page is seen: browsers allow few connections to one server.
  let source = null;
  let retry = 0;

  function listen() {
    clearTimeout(retry);
    const isWanted = !document.hidden && document.querySelector("[data-live]");
    const isOpen = source && source.readyState !== EventSource.CLOSED;
    if (isWanted && isOpen) return;
    if (source) source.close();
    source = null;
    if (!isWanted) return;
    source = new EventSource(`${latest}/events`);
    source.onmessage = (event) => {
      if (isLatest() && event.data !== slider.max) show(location.pathname, null);
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

  if (slider && start) {
    fix();
    slider.hidden = false;
    slider.addEventListener("input", () => show(pathOf(Number(slider.value)), "replaceState"));
    document.addEventListener("click", follow);
    document.addEventListener("keydown", step);
    document.addEventListener("visibilitychange", listen);
    window.addEventListener("popstate", () => show(location.pathname, null));
    describe();
    listen();
  }
}
