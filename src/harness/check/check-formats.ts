/** Check formats: the ways in which a check is printed. */
import pc from 'picocolors';
import { checkGithub } from './check-github.ts';
import { checkJunit } from './check-junit.ts';
import { checkMarkdown } from './check-markdown.ts';
import type { CheckRecord } from './check-record.ts';
import { checkText } from './check-text.ts';

export interface CheckFormatSettings {
  /** Whether `inconclusive` fails the check. */
  readonly strict: boolean;
  /** Whether the text goes to a terminal that shows colours. Default: no. */
  readonly colors?: boolean;
}

/** Each returns the whole text, without a line end behind it. */
export const checkFormats = {
  text: (record, { colors = false }) => checkText(record, pc.createColors(colors)),
  json: (record) => JSON.stringify(record),
  markdown: (record) => checkMarkdown(record).trimEnd(),
  junit: (record, { strict }) => checkJunit(record, strict).trimEnd(),
  github: (record, { strict }) => checkGithub(record, strict),
} as const satisfies Record<string, (record: CheckRecord, settings: CheckFormatSettings) => string>;

export type CheckFormat = keyof typeof checkFormats;

export const checkFormatNames = Object.keys(checkFormats) as readonly CheckFormat[];
