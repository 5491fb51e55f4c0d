/* The contents beside the text: the chapter that is being read is marked, its sections are listed. */
const contents = () => {
  const nav = one("#contents");
  const links = all(".c1 a", nav);
  const chapters = links.map((link) => document.getElementById(link.hash.slice(1)));
  const bar = one("#here");
  let current = null;

  const sections = (link) => {
    const found = [];
    for (let item = link.parentElement.nextElementSibling; item?.classList.contains("c2"); ) {
      found.push(item);
      item = item.nextElementSibling;
    }
    return found;
  };
  const mark = (index) => {
    if (index === current) return;
    if (current !== null) {
      links[current]?.removeAttribute("aria-current");
      all(".open", nav).forEach((item) => item.classList.remove("open"));
    }
    current = index;
    const link = links[index];
    bar.hidden = !link;
    if (!link) return;
    link.setAttribute("aria-current", "location");
    sections(link).forEach((item) => item.classList.add("open"));
    bar.replaceChildren(...link.cloneNode(true).childNodes);
    if (nav.scrollHeight > nav.clientHeight) nav.scrollTop = link.offsetTop - nav.clientHeight / 3;
  };
  const look = () => {
    const line = innerHeight / 3;
    mark(chapters.findLastIndex((chapter) => chapter.getBoundingClientRect().top <= line));
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      look();
    });
  });
  look();
};
