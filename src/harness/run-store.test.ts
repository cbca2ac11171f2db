import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunStore, readResult } from './run-store.ts';
import { sampleResult, sampleTrial } from './trial.test.kit.ts';

let out = '';
beforeEach(() => {
  out = mkdtempSync(path.join(os.tmpdir(), 'wavetank-test-'));
});
afterEach(() => {
  rmSync(out, { recursive: true });
});

const startedAt = new Date('2026-01-02T03:04:05.678Z');
const result = sampleResult({ baseline: sampleTrial(100) });

describe('run store', () => {
  it('reads back what it wrote', () => {
    const store = createRunStore(path.join(out, 'new', 'folder'), startedAt);
    store.writeResult(result);
    expect(readResult(store.dir)).toEqual(result);
    expect(readdirSync(store.dir)).toEqual(['result.json']);
  });

  it('gives two runs of the same second a folder each', () => {
    const stores = [createRunStore(out, startedAt), createRunStore(out, startedAt)];
    expect(new Set(stores.map((store) => store.id)).size).toBe(2);
    for (const store of stores) expect(store.id).toMatch(/^20260102T030405Z-/);
  });

  it('writes nothing at all when a result does not fit the schema', () => {
    const store = createRunStore(out, startedAt);
    expect(() => {
      store.writeResult({ ...result, seed: Number.NaN });
    }).toThrow(/seed/);
    expect(readdirSync(store.dir)).toEqual([]);
  });

  it('keeps the last whole result when the next one does not fit', () => {
    const store = createRunStore(out, startedAt);
    store.writeResult(result);
    expect(() => {
      store.writeResult({ ...result, seed: -1 });
    }).toThrow();
    expect(readResult(store.dir)).toEqual(result);
  });

  it('leaves nothing of a run that is discarded', () => {
    const store = createRunStore(out, startedAt);
    store.discard();
    expect(existsSync(store.dir)).toBe(false);
  });

  it.each(['/proc/wavetank', '/dev/null/wavetank'])('refuses %s, where no folder can be made', (folder) => {
    expect(() => createRunStore(folder, startedAt)).toThrow(`--out ${folder}: cannot make a folder there`);
  });
});

describe('readResult', () => {
  it.each<[string, string, RegExp]>([
    ['is truncated', JSON.stringify(result).slice(0, 500), /result\.json: .*JSON/],
    ['is of another schema', '{"schema":2}', /schema 2; this version reads schema 1/],
    ['is no object', 'null', /schema undefined/],
    ['lacks a member', JSON.stringify({ ...result, host: undefined }), /host/],
    ['holds a null where a number must be', JSON.stringify({ ...result, seed: null }), /seed/],
  ])('refuses a file that %s, in one line', (_how, text, message) => {
    writeFileSync(path.join(out, 'result.json'), text);
    expect(() => readResult(out)).toThrow(message);
    expect(() => readResult(out)).not.toThrow(/\n/);
  });

  it('refuses a file that is not there', () => {
    expect(() => readResult(path.join(out, 'nope.json'))).toThrow(
      /nope\.json does not exist; give the folder of a run/,
    );
  });

  it('survives a change of the file behind its back', () => {
    const store = createRunStore(out, startedAt);
    store.writeResult(result);
    const file = path.join(store.dir, 'result.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"confirmed":90', '"confirmed":"<script>"'));
    expect(() => readResult(store.dir)).toThrow(/confirmed/);
  });
});
