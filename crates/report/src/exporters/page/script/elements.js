// Elements of the page. Texts are set as text, never as HTML.
let numbered = 0;

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function button(text, act, more = {}) {
  return element("button", { type: "button", onclick: act, ...more }, text);
}

/** A labelled choice among `[value, text]` pairs; `change` gets the value. */
function choice(label, options, value, change) {
  const select = element("select", { onchange: () => change(select.value) });
  for (const [value, text] of options) select.append(element("option", { value }, text));
  select.value = value;
  return element("label", { class: "choice" }, element("span", {}, label), select);
}

function tick(label, checked, change) {
  const box = element("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
  return element("label", { class: "tick" }, box, element("span", {}, label));
}

/** Fills a place with choices anew; the one that had the focus, known by its label, has it again. */
function refill(place, list) {
  const labelOf = (one) => (one.labels?.[0]?.querySelector("span") ?? one).textContent;
  const focused = place.contains(document.activeElement) ? labelOf(document.activeElement) : null;
  place.replaceChildren(...list.filter(Boolean));
  if (focused === null) return;
  [...place.querySelectorAll("select, input, button")].find((one) => labelOf(one) === focused)?.focus();
}

/** A text that screen readers tell when it changes. */
function liveRegion() {
  return element("p", { class: "unseen", "aria-live": "polite" });
}

function freshId(word) {
  numbered += 1;
  return `${word}-${numbered}`;
}
