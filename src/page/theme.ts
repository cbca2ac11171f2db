/** Theme: light or dark as the system has it, until the reader says otherwise; charts take their colours from it. */
import { find } from './dom.ts';

type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

/** Called after every change of colours. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

const colours = new Map<string, string>();
const probe = document.createElement('i');
probe.hidden = true;

/** The colour that a custom property of the style sheet stands for now, as a canvas understands it. */
export function colourOf(property: string): string {
  const known = colours.get(property);
  if (known !== undefined) return known;
  // The property itself still holds both colours; only where it is used is one of them chosen.
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${property})`;
  const { color } = getComputedStyle(probe);
  colours.set(property, color);
  return color;
}

/** Makes the button switch. */
export function startTheme(): void {
  const root = document.documentElement;
  const button = find('#theme');
  const current = (): Theme =>
    (root.dataset.theme as Theme | undefined) ?? (system.matches ? 'dark' : 'light');
  const other = (): Theme => (current() === 'dark' ? 'light' : 'dark');
  const show = () => {
    button.textContent = other() === 'dark' ? 'Dark' : 'Light';
    button.setAttribute('aria-label', `Switch to ${other()} colours`);
    colours.clear();
    for (const listener of listeners) listener();
  };
  button.addEventListener('click', () => {
    root.dataset.theme = other();
    show();
  });
  system.addEventListener('change', show);
  show();
}
