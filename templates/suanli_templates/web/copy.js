/* Every table can be taken away as text with tabs, as a spreadsheet reads it. */
const copying = () => {
  /* A true minus for reading is a hyphen for counting; a text that would start a formula stays a text. */
  const plain = (cell) => {
    const text = readText(cell).replace(/\u2212(?=[\d.])/g, "-");
    return /^[=+@]/.test(text) || /^-(?![\d.])/.test(text) ? `'${text}` : text;
  };
  const fields = (row) =>
    [...row.cells]
      .filter((cell) => !cell.classList.contains("control"))
      .flatMap((cell) => [plain(cell), ...Array(cell.colSpan - 1).fill("")]);
  const tsv = (table) =>
    [...table.rows]
      .filter((row) => !row.hidden)
      .map((row) => fields(row).join("\t"))
      .join("\n");
  /* Where the browser keeps its clipboard closed to pages from disk, the old way still works. */
  const byHand = (text) => {
    const area = made("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return byHand(text);
    }
  };
  const title = (table) => {
    const before = table.closest(".scroll")?.previousElementSibling;
    return before?.classList.contains("caption") ? before : null;
  };
  all(".scroll > table").forEach((table) => {
    const caption = title(table);
    if (!caption) return;
    const name = readText(one(".no", caption));
    const button = made(
      "button",
      { type: "button", class: "copy control", "aria-label": `${words.copy} ${name}` },
      words.copy,
    );
    button.addEventListener("click", async () => {
      const focus = document.activeElement;
      const done = await copied(tsv(table));
      focus?.focus();
      button.textContent = done ? words.copied : words.notCopied;
      said(`${name} ${button.textContent}`);
      setTimeout(() => (button.textContent = words.copy), 2000);
    });
    caption.append(button);
  });
};
