// Light or dark: the system's choice unless the reader chose.

import { button } from "./dom";

const KEY = "gwatch.theme";
const CHOICES = ["auto", "light", "dark"];

/** Applies the kept choice and returns a button that goes on to the next one. */
export function themeButton(onChange: () => void): HTMLButtonElement {
  let choice = CHOICES.indexOf(kept());
  if (choice < 0) choice = 0;
  const apply = () => {
    document.documentElement.dataset.theme = CHOICES[choice];
    press.textContent = `Theme: ${CHOICES[choice]}`;
  };
  const press = button("", "Light, dark, or as the system says", () => {
    choice = (choice + 1) % CHOICES.length;
    keep(CHOICES[choice]);
    apply();
    onChange();
  });
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onChange);
  return press;
}

// Some places that show files refuse storage: then the choice lasts as long as the page.
function kept(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function keep(choice: string): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    return;
  }
}
