/** Report: a result as one self-contained page. */
import { compareStacks } from '../comparison.ts';
import type { Result } from '../result.ts';
import { pageAssets } from './page-assets.ts';
import { reportData } from './report-data.ts';
import { reportHtml } from './report-html.ts';

/** Whether a text was written by `reportPage`, of this version or another. */
export function isReport(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes('<meta name="generator" content="wavetank ');
}

/** The text of `report.html`: the same result gives the same page. */
export function reportPage(result: Result): string {
  return reportHtml(reportData(result, compareStacks(result)), pageAssets());
}
