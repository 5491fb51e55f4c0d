/* Two or three options side by side, from the tables of the chapter, with what differs marked. */
const comparison = (explorer, picked) => {
  const panel = one("#compare");
  const only = one("#compare-only");
  const go = one("#compare-go");
  const places = new Map();
  all("#options table.side-heads").forEach((table) =>
    all("thead th[data-option]", table).forEach((head) =>
      places.set(head.dataset.option, { rows: [...table.rows], index: head.cellIndex }),
    ),
  );
  const cell = (key, line) => places.get(key).rows[line].cells[places.get(key).index];
  const content = (tag, source, attributes) => made(tag, attributes, ...source.cloneNode(true).childNodes);

  const line = (keys, index) => {
    const head = places.get(keys[0]).rows[index].cells[0];
    const texts = keys.map((key) => readText(cell(key, index)));
    const differs = texts.some((text) => text !== texts[0]);
    const row = made("tr", differs ? { class: "differs" } : {}, content("th", head, { scope: "row" }));
    keys.forEach((key) => row.append(content("td", cell(key, index), { class: "n w" })));
    if (differs) row.cells[0].append(made("span", { class: "mark" }, words.differs));
    row.hidden = !differs && only.checked;
    return row;
  };
  const table = (keys) => {
    const head = made("tr", {}, made("td"));
    keys.forEach((key) => head.append(content("th", cell(key, 0), { scope: "col", class: "n" })));
    const body = made("tbody");
    for (let index = 1; index < places.get(keys[0]).rows.length; index += 1) body.append(line(keys, index));
    return made("table", { class: "compared" }, made("thead", {}, head), body);
  };

  const draw = () => {
    const keys = picked();
    const ready = keys.length > 1;
    all("input.pick", explorer).forEach((box) => (box.disabled = keys.length > 2 && !box.checked));
    panel.hidden = !ready;
    go.hidden = !ready;
    one(".place", panel).replaceChildren(...(ready ? [table(keys)] : []));
    go.textContent = filled(words.compared, { options: keys.join(" · ") });
  };
  only.addEventListener("change", draw);
  go.addEventListener("click", () => {
    panel.scrollIntoView();
    one("h3", panel).focus();
  });
  return draw;
};
