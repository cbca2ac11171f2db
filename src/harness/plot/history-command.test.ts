import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendHistory } from '../check/history.ts';
import { sampleRecord, worseRecord } from '../check/check-record.test.kit.ts';
import { plotHistory } from './history-command.ts';

let scratch: string;
let file: string;
let picture: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'plot-history-'));
  file = path.join(scratch, 'history.ndjson');
  picture = path.join(scratch, 'history.svg');
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

const drawn = (force = false) => plotHistory({ file, out: scratch, force });

describe('plotHistory', () => {
  it('draws what checks have appended, again and again', () => {
    appendHistory(file, sampleRecord());
    expect(drawn()).toEqual({ files: [picture], warnings: [] });
    appendHistory(file, worseRecord);
    drawn();
    expect(readFileSync(picture, 'utf8')).toContain('+9.8 % [8.1, 11.6], worse');
  });

  it('tells what was left out', () => {
    appendHistory(file, sampleRecord());
    writeFileSync(file, readFileSync(file, 'utf8') + readFileSync(file, 'utf8').slice(0, 90));
    expect(drawn().warnings).toEqual([`${file}, line 2: not written to its end; left out`]);
  });

  it('says when there is nothing to draw, and writes nothing', () => {
    writeFileSync(file, '');
    expect(drawn).toThrow(`${file}: there is no check in it yet`);
    appendHistory(file, sampleRecord({ metrics: [] }));
    expect(drawn).toThrow(/none of its checks compared anything/);
    expect(existsSync(picture)).toBe(false);
  });

  it('writes over its own picture alone', () => {
    appendHistory(file, sampleRecord());
    writeFileSync(picture, 'mine');
    expect(() => drawn()).toThrow(/was not written by plot; --force writes over it/);
    drawn(true);
    expect(readFileSync(picture, 'utf8')).toContain('<svg');
  });
});
