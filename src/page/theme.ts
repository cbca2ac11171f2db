/** Theme: light or dark as the system has it, until the reader says otherwise; charts take their colours from it. */
import { find } from './dom.ts';

type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

/** Called after every change of colours. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

/** What a custom property of the style sheet stands for now. */
export function colourOf(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

/** Makes the button switch. */
export function startTheme(): void {
  const root = document.documentElement;
  const button = find<HTMLButtonElement>('#theme');
  const current = (): Theme =>
    (root.dataset.theme as Theme | undefined) ?? (system.matches ? 'dark' : 'light');
  const other = (): Theme => (current() === 'dark' ? 'light' : 'dark');
  const show = () => {
    button.textContent = other() === 'dark' ? 'Dark' : 'Light';
    button.setAttribute('aria-label', `Switch to ${other()} colours`);
    for (const listener of listeners) listener();
  };
  button.addEventListener('click', () => {
    root.dataset.theme = other();
    show();
  });
  system.addEventListener('change', show);
  show();
}
