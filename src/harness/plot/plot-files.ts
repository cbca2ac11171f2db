/** Plot files: which files a plot consists of, and what stands in them. Pure. */
import { percentilesCsv, percentilesCsvHeader, timelineCsv, timelineCsvHeader } from './csv.ts';
import { fileStems } from './file-stems.ts';
import { hgrmMark, hgrmText } from './hgrm.ts';
import { isReport, reportPage } from '../report/report.ts';
import type { Result } from '../result.ts';
import { hlogMark, hlogText } from './hlog.ts';
import { percentileSvg } from './percentile-svg.ts';
import type { PlotLine } from './plot-line.ts';
import { svgMark } from './svg.ts';
import { timelineSvg } from './timeline-svg.ts';

export interface PlotFile {
  readonly name: string;
  readonly text: string;
  /** Whether a text that stands in the file's place was written by `plot` too. */
  readonly isOwn: (text: string) => boolean;
}

export interface PlotSettings {
  /** The limit of the SLA line in µs; null for none. */
  readonly slaUs: number | null;
}

type FilesOf = (lines: readonly PlotLine[], settings: PlotSettings) => PlotFile[];

/** What each format writes, for lines that all belong to one class. */
const filesOfFormat = {
  svg: (lines, { slaUs }) => [
    {
      name: `percentiles.${classOf(lines)}.svg`,
      text: percentileSvg(lines, slaUs),
      isOwn: startsWith(svgMark),
    },
    { name: 'timeline.svg', text: timelineSvg(lines), isOwn: startsWith(svgMark) },
  ],
  html: (lines, { slaUs }) => {
    const runs = [...new Set(lines.map((line) => line.run))];
    const stems = fileStems(runs.map(({ id }) => (runs.length === 1 ? 'report' : `report-${id}`)));
    return runs.map((run, index) => ({
      name: `${stems[index] ?? ''}.html`,
      text: reportPage(slaUs === null ? run : withSla(run, slaUs / 1000)),
      isOwn: isReport,
    }));
  },
  hgrm: (lines) =>
    perLine(
      lines,
      'hgrm',
      (line) => hgrmText(line.histogram),
      (text) => text.endsWith(`\n${hgrmMark}\n`),
    ),
  hlog: (lines) => perLine(lines, 'hlog', hlogText, startsWith(hlogMark)),
  csv: (lines) => [
    {
      name: `percentiles.${classOf(lines)}.csv`,
      text: percentilesCsv(lines),
      isOwn: startsWith(percentilesCsvHeader),
    },
    { name: 'timeline.csv', text: timelineCsv(lines), isOwn: startsWith(timelineCsvHeader) },
  ],
} as const satisfies Record<string, FilesOf>;

export type PlotFormat = keyof typeof filesOfFormat;
export const plotFormats = Object.keys(filesOfFormat) as PlotFormat[];

/** All files of the formats, for lines that all belong to one class. */
export function plotFiles(
  lines: readonly PlotLine[],
  formats: readonly PlotFormat[],
  settings: PlotSettings,
): PlotFile[] {
  return formats.flatMap((format) => filesOfFormat[format](lines, settings));
}

function perLine(
  lines: readonly PlotLine[],
  ending: string,
  textOf: (line: PlotLine) => string,
  isOwn: PlotFile['isOwn'],
): PlotFile[] {
  const stems = fileStems(lines.map(({ label }) => label));
  return lines.map((line, index) => ({
    name: `${stems[index] ?? ''}.${line.requestClass}.${ending}`,
    text: textOf(line),
    isOwn,
  }));
}

function withSla(run: Result, slaMs: number): Result {
  return { ...run, options: { ...run.options, slaMs } };
}

function classOf(lines: readonly PlotLine[]): string {
  return lines[0]?.requestClass ?? 'orders';
}

/** Whether a text begins with a line that is the mark. */
export function startsWith(mark: string): (text: string) => boolean {
  return (text) => text.startsWith(`${mark}\n`) || text.startsWith(`${mark}\r\n`);
}
