// Copies text; where the browser refuses, shows it for copying by hand.

import { button, element } from "./dom";

export interface Table {
  heads: string[];
  rows: string[][];
}

/** RFC 4180. */
export function toCsv({ heads, rows }: Table): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** The first column to the left, figures to the right. */
export function toMarkdown({ heads, rows }: Table): string {
  const cell = (text: string) => text.replace(/[\\|`*_<>[\]]/g, "\\$&").replace(/\s+/g, " ");
  const lineOf = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = heads.map((_, index) => (index === 0 ? "---" : "---:"));
  return [heads.map(cell), rule, ...rows.map((row) => row.map(cell))].map(lineOf).join("");
}

/** A button that copies what `make` gives when it is pressed. */
export function copyButton(text: string, title: string, make: () => string): HTMLButtonElement {
  const press = button(text, title, () => {
    const content = make();
    void copy(content).then((copied) => {
      if (!copied) return showForCopying(content);
      press.textContent = "Copied";
      setTimeout(() => (press.textContent = text), 1200);
    });
  });
  return press;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function showForCopying(text: string): void {
  const area = element("textarea");
  area.value = text;
  area.readOnly = true;
  area.setAttribute("aria-label", "Text to copy");
  const dialog = element("dialog", "copy", element("p", "", "This browser does not let the page copy: take it from here."), area);
  dialog.append(button("Close", "Esc", () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}
