/* A table wider than the screen scrolls in its own frame; the frame can be reached and scrolled by keyboard. */
const scrolling = () => {
  const frames = all(".scroll");
  const name = (frame) => {
    const caption = frame.previousElementSibling;
    return caption?.classList.contains("caption") ? readText(caption) : words.wide;
  };
  const look = () =>
    frames.forEach((frame) => {
      if (frame.scrollWidth > frame.clientWidth) {
        frame.tabIndex = 0;
        frame.setAttribute("role", "group");
        frame.setAttribute("aria-label", name(frame));
      } else ["tabindex", "role", "aria-label"].forEach((attribute) => frame.removeAttribute(attribute));
    });
  addEventListener("resize", look);
  look();
};
