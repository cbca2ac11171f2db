/** HTML by template: what is put into a template is text and is escaped, unless it came out of a template itself. */

/** A piece of HTML that may stand in a page as it is. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
  toString(): string {
    return this.markup;
  }
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/**
 * `` html`<b>${name}</b>` ``: strings and numbers are escaped, for text and for quoted attributes; lists are joined;
 * null is nothing.
 */
export function html(template: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: template }, ...parts.map(markupOf)));
}

/** A value as the content of a `<script type="application/json">`: no text in it can end the script. */
export function jsonForScript(value: unknown): Html {
  return new Html(
    JSON.stringify(value).replaceAll(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

function markupOf(part: HtmlPart): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
