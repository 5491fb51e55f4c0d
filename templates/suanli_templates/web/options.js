/* The table of options: sorted, filtered, counted; its state stands in the address, so that a link repeats it. */
const optionsTable = () => {
  const explorer = one("#explorer");
  if (!explorer) return;
  const form = one("form", explorer);
  const table = one("table", explorer);
  const body = one("tbody", table);
  const rows = all("tr", body);
  const heads = all("thead th[data-key]", table);
  const column = new Map(heads.map((head) => [head.dataset.key, head.cellIndex]));
  const facets = ["vendor", "verdict", "delivery"];
  const limits = ["days", "tco"];
  const collator = new Intl.Collator(document.documentElement.lang);
  /* A search is for names and words; figures have their limits. */
  const namesOf = (row) => [...row.cells].filter((cell) => !cell.matches(".n")).map(readText).join(" ");
  const texts = new Map(rows.map((row) => [row, namesOf(row).toLowerCase()]));
  const state = { sort: "", dir: "" };

  const figure = (row, key) => {
    const value = row.cells[column.get(key)].dataset.v;
    return value === undefined || value === "" ? null : Number(value);
  };
  const byFigure = (key) => (left, right) => {
    const [a, b] = [figure(left, key), figure(right, key)];
    if (a === null || b === null) return (a === null) - (b === null);
    return state.dir === "descending" ? b - a : a - b;
  };
  const byText = (key) => (left, right) => {
    const [a, b] = [left, right].map((row) => readText(row.cells[column.get(key)]));
    return state.dir === "descending" ? collator.compare(b, a) : collator.compare(a, b);
  };

  /* Always from the order of the document: what is equal keeps it. */
  const sorted = () => {
    if (!state.sort) return rows;
    const numeric = heads.find((head) => head.dataset.key === state.sort).dataset.kind === "number";
    return [...rows].sort(numeric ? byFigure(state.sort) : byText(state.sort));
  };

  const chosen = (name) => all(`input[name="${name}"]:checked`, form).map((box) => box.value);
  const limit = (name) => {
    const value = form.elements.namedItem(name).value;
    return value === "" ? null : Number(value);
  };
  /* An option whose figure is unknown cannot be said to keep a limit. */
  const within = (row, name) => limit(name) === null || (figure(row, name) ?? Infinity) <= limit(name);
  const matches = (row) =>
    facets.every((name) => !chosen(name).length || chosen(name).includes(row.dataset[name])) &&
    limits.every((name) => within(row, name)) &&
    form.elements.namedItem("q").value.toLowerCase().split(/\s+/).every((part) => texts.get(row).includes(part));
  const unknown = (row) => limits.some((name) => limit(name) !== null && figure(row, name) === null);

  const count = () => {
    const values = {
      shown: rows.filter((row) => !row.hidden).length,
      total: rows.length,
      unknown: rows.filter((row) => row.hidden && unknown(row)).length,
    };
    const text = filled(words.count, values) + (values.unknown ? filled(words.unknown, values) : "");
    const place = one("#explorer-count");
    if (place.textContent !== text) place.textContent = text;
  };

  const marked = () => {
    heads.forEach((head) => {
      const active = head.dataset.key === state.sort;
      if (active) head.setAttribute("aria-sort", state.dir);
      else head.removeAttribute("aria-sort");
    });
  };

  const address = () => {
    const values = new URLSearchParams();
    if (state.sort) values.set("sort", state.sort);
    if (state.dir === "descending") values.set("dir", "desc");
    facets.forEach((name) => chosen(name).length && values.set(name, chosen(name).join(",")));
    ["q", ...limits].forEach((name) => {
      const value = form.elements.namedItem(name).value;
      if (value) values.set(name, value);
    });
    if (picked().length) values.set("compare", picked().join(","));
    const text = values.toString().replaceAll("%2C", ",");
    if (text || location.hash.startsWith("#options?")) {
      history.replaceState(null, "", text ? `#options?${text}` : "#options");
    }
  };

  const picked = () => all("input.pick:checked", body).map((box) => box.value);
  const compared = comparison(explorer, () => picked());

  const show = () => {
    rows.forEach((row) => (row.hidden = !matches(row)));
    body.append(...sorted());
    marked();
    count();
    compared();
  };
  const changed = () => {
    show();
    address();
  };

  const read = () => {
    const [place, text] = location.hash.split("?");
    if (place !== "#options" || text === undefined) return;
    const values = new URLSearchParams(text);
    form.reset();
    state.sort = column.has(values.get("sort")) ? values.get("sort") : "";
    state.dir = state.sort ? (values.get("dir") === "desc" ? "descending" : "ascending") : "";
    facets.forEach((name) => {
      const wanted = (values.get(name) ?? "").split(",");
      all(`input[name="${name}"]`, form).forEach((box) => (box.checked = wanted.includes(box.value)));
    });
    ["q", ...limits].forEach((name) => (form.elements.namedItem(name).value = values.get(name) ?? ""));
    const wanted = (values.get("compare") ?? "").split(",");
    all("input.pick", body).forEach((box) => (box.checked = wanted.includes(box.value)));
    picked().slice(3).forEach((key) => (one(`input.pick[value="${key}"]`, body).checked = false));
    show();
    explorer.scrollIntoView();
  };

  const next = (key) => {
    const turn = state.sort === key ? { ascending: "descending", descending: "" }[state.dir] : "ascending";
    state.sort = turn ? key : "";
    state.dir = turn;
    changed();
  };
  heads.forEach((head) => {
    const button = made("button", { type: "button", class: "sort", title: words.sort }, ...head.childNodes);
    button.addEventListener("click", () => next(head.dataset.key));
    head.append(button);
  });
  all(".control", table).forEach((cell) => (cell.hidden = false));
  form.hidden = false;
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  body.addEventListener("change", changed);
  one("#explorer-reset").addEventListener("click", () => {
    form.reset();
    all("input.pick", body).forEach((box) => (box.checked = false));
    Object.assign(state, { sort: "", dir: "" });
    changed();
  });
  addEventListener("hashchange", read);
  /* On paper the table is a part of the document: all options in its order. */
  addEventListener("beforeprint", () => {
    rows.forEach((row) => (row.hidden = false));
    body.append(...rows);
  });
  addEventListener("afterprint", show);
  show();
  read();
};
