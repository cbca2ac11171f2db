/** What the page must hold for the script to work. */

/** The one element that the selector finds below `root`. */
export function find<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E {
  const element = root.querySelector<E>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

export function findAll<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E[] {
  return [...root.querySelectorAll<E>(selector)];
}
