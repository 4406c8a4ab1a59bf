"use strict";
// Keys, and the few things that links and forms cannot do. Everything else is on the server.

document.documentElement.classList.add("js");

const items = () => [...document.querySelectorAll("[data-item]")];
let position = -1; // of the selected item
let awaitsPage = false; // after g

function select(index) {
  const all = items();
  all.forEach((item) => item.classList.remove("selected"));
  if (!all.length) { position = -1; return; }
  position = Math.max(0, Math.min(index, all.length - 1));
  const item = all[position];
  item.classList.add("selected");
  const target = item.querySelector("[data-open]") || item.querySelector("a, button, summary");
  if (target) target.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

// Press what has this key: in the selected item, else on the page outside all items.
function press(key) {
  const item = items()[position];
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const target = (item && item.querySelector(selector))
    || [...document.querySelectorAll(selector)].find((found) => !found.closest("[data-item]"));
  if (target) target.click();
  return Boolean(target);
}

function isTyping(element) {
  return element.matches("textarea, select, input:not([type=checkbox]):not([type=radio])");
}

function focusSearch() {
  const field = document.getElementById("q");
  if (field) { field.focus(); field.select(); } else { window.location.assign("/search"); }
}

function handle(event) {
  const key = event.key;
  if (awaitsPage) {
    awaitsPage = false;
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (link) link.click();
    return Boolean(link);
  }
  const help = document.getElementById("help");
  if (help.open) return false;
  switch (key) {
    case "?": help.showModal(); return true;
    case "/": focusSearch(); return true;
    case "g": awaitsPage = true; window.setTimeout(() => { awaitsPage = false; }, 1500); return true;
    case "j": select(position + 1); return true;
    case "k": select(position - 1); return true;
    case "Enter": {
      const item = items()[position];
      const link = item && item.querySelector("[data-open]");
      if (!link || document.activeElement.matches("button, a, summary, input")) return false;
      link.click();
      return true;
    }
    default: return /^[a-z]$/.test(key) && press(key);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (handle(event)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) document.getElementById("help").showModal();
  const item = event.target.closest("[data-item]");
  if (item) {
    items().forEach((other) => other.classList.remove("selected"));
    item.classList.add("selected");
    position = items().indexOf(item);
  }
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// How many items are selected, and what was typed in the search field after a swap.
function count() {
  const shown = document.querySelector("[data-selected]");
  if (shown) shown.textContent = document.querySelectorAll("input[name=ids]:checked").length;
}
document.addEventListener("change", count);
document.addEventListener("htmx:configRequest", (event) => {
  const fields = event.detail.parameters;
  for (const name of Object.keys(fields)) if (fields[name] === "") delete fields[name];
});
document.addEventListener("htmx:afterSwap", () => { position = -1; count(); });

// After a change the page is loaded again: select the item that is now in the same place.
const PLACE = "aforesaid-place";
document.addEventListener("submit", (event) => {
  if (event.target.closest("[data-item]")) {
    sessionStorage.setItem(PLACE, `${location.pathname} ${position} ${window.scrollY}`);
  }
});
window.addEventListener("DOMContentLoaded", () => {
  count();
  const current = document.querySelector(".side [aria-current]");
  if (current) current.scrollIntoView({ block: "nearest", inline: "center" }); // in the row of a phone
  const [path, index, top] = (sessionStorage.getItem(PLACE) || "").split(" ");
  sessionStorage.removeItem(PLACE);
  const refused = document.querySelector("[aria-describedby=refused]");
  if (refused) { // the address leads to the message, which passes the focus on to its field
    document.getElementById("refused").addEventListener("focus", () => refused.focus({ preventScroll: true }));
    refused.focus({ preventScroll: true });
    return;
  }
  if (path === location.pathname && Number(index) >= 0) {
    window.scrollTo(0, Number(top));
    select(Number(index));
  }
});
