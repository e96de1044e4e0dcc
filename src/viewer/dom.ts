// Elements from code: text is always text, never markup.

type Child = Node | string;

/** A new element with classes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A small square in a scope's colour. */
export function swatch(colour: string): HTMLElement {
  const square = element("span", "swatch");
  square.style.background = colour;
  return square;
}

/** A push button. */
export function button(text: string, title: string, onPress: () => void): HTMLButtonElement {
  const made = element("button", "", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", onPress);
  return made;
}
