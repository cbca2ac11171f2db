/** Data table: the figures behind a chart as text, cell by cell; as HTML, each row headed by its first cell. Pure. */
import { type Html, html } from './html.ts';

export interface DataTable {
  /** With the unit in each. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table that scrolls by itself where it is wider than the page; the keyboard can scroll it too. */
export function tableHtml({ heads, rows }: DataTable, name: string): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${name}"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(rowHtml)}</tbody>
</table></div>`;
}

/** The same, to be opened by those who want it. */
export function tableDetails(table: DataTable, name: string): Html {
  return html`<details class="data"><summary>${name}</summary>${tableHtml(table, name)}</details>`;
}

function rowHtml([head = '', ...cells]: readonly string[]): Html {
  return html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}
