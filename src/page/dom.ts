/** What the page must hold for the script to work. */

/** The one element that the selector finds below `root`. */
export function find(selector: string, root: ParentNode = document): HTMLElement {
  const element = root.querySelector<HTMLElement>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Whether a box or a radio button is checked. */
export function isChecked(selector: string, root: ParentNode): boolean {
  return find(selector, root).matches(':checked');
}

export function findAll<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E[] {
  return [...root.querySelectorAll<E>(selector)];
}
