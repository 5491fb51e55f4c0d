/* A reference key shows its entry of the annex where it stands: on hover, and when it has the focus. */
const sources = () => {
  const card = one("#source-card");
  let open = null;
  let closing = 0;

  const entry = (link) => {
    const row = document.getElementById(link.hash.slice(1));
    if (!row) return null;
    const heads = all("thead th", row.closest("table")).map(readText);
    const list = made("dl");
    [...row.cells].forEach((cell, index) => {
      if (!readText(cell)) return;
      list.append(made("dt", {}, heads[index] ?? ""), made("dd", {}, ...cell.cloneNode(true).childNodes));
    });
    all("[id]", list).forEach((part) => part.removeAttribute("id"));
    return list;
  };
  const close = () => {
    clearTimeout(closing);
    card.hidden = true;
    open?.removeAttribute("aria-describedby");
    open = null;
  };
  const place = (link) => {
    const at = link.getBoundingClientRect();
    const below = at.bottom + card.offsetHeight + 8 < innerHeight;
    const left = Math.min(at.left, document.documentElement.clientWidth - card.offsetWidth - 8);
    card.style.left = `${Math.max(8, left) + scrollX}px`;
    card.style.top = `${(below ? at.bottom + 4 : at.top - card.offsetHeight - 4) + scrollY}px`;
  };
  const show = (link) => {
    clearTimeout(closing);
    if (open === link) return;
    close();
    const list = entry(link);
    if (!list) return;
    card.replaceChildren(list);
    card.hidden = false;
    open = link;
    link.setAttribute("aria-describedby", card.id);
    place(link);
  };
  const later = () => {
    clearTimeout(closing);
    closing = setTimeout(close, 250);
  };
  const key = (event) => event.target.closest?.('a[href^="#ref-"]');
  const inside = (event) => key(event) || event.target.closest?.("#source-card");

  addEventListener("mouseover", (event) => {
    if (key(event) && !card.contains(event.target)) show(key(event));
    else if (inside(event)) clearTimeout(closing);
    else if (open && open !== document.activeElement) later();
  });
  addEventListener("focusin", (event) => {
    if (key(event) && !card.contains(event.target)) show(key(event));
    else if (!inside(event)) close();
  });
  addEventListener("keydown", (event) => event.key === "Escape" && close());
  addEventListener("click", (event) => inside(event) || close());
};
