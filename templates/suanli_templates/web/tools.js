/* What the parts of the page share. Figures are compared here and never computed: they come as data attributes. */
const words = document.getElementById("web-words").dataset;
const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Put values into a pattern such as "{shown} of {total}". */
const filled = (pattern, values) =>
  pattern.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/** Return the text of a cell as it is read: without reference keys and controls, a line break as a space. */
const readText = (cell) => {
  const copy = cell.cloneNode(true);
  all("sup.ref, .control", copy).forEach((part) => part.remove());
  all("br", copy).forEach((part) => part.replaceWith(" "));
  return copy.textContent.replace(/\s+/g, " ").trim();
};

/** Make an element with attributes and children. */
const made = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
};

/** Tell a reader of the screen what happened. */
const said = (text) => {
  one("#web-said").textContent = text;
};

document.documentElement.classList.add("js");
