import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inCi } from '../harness/ci.test.kit.ts';
import type { Result } from '../harness/result.ts';
import { reportPage } from '../harness/report/report.ts';
import { emptyTrial, lifelikeTrial, openedBreaker, resultOf } from '../harness/report/report.test.kit.ts';

const executablePath = '/usr/bin/chromium';
/** Not in CI: there they fail where it is missing. */
const skips = !existsSync(executablePath) && !inCi;
if (skips) console.warn(`${executablePath} is not installed: the tests that look at a page are skipped`);
const hostile = `</script><img src=x onerror="document.title='broken'">`;

let browser: Browser;
let folder: string;
let page: Page;
/** What the page complained about, and what it wanted from outside. */
let complaints: string[];

beforeAll(async () => {
  if (skips) return;
  folder = mkdtempSync(path.join(os.tmpdir(), 'wavetank-report-'));
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  complaints = [];
});

afterEach(async () => {
  if (skips) return;
  await page.close();
});

/** Opens the report of a result from a file, as a reader would. */
async function open(result: Result, options: Parameters<Browser['newPage']>[0] = {}): Promise<void> {
  const file = path.join(folder, 'report.html');
  writeFileSync(file, reportPage(result));
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on('console', (message) => {
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => {
    complaints.push(error.message);
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
}

const twoStacks = () =>
  resultOf({
    baseline: [lifelikeTrial(20_000), lifelikeTrial(25_000)],
    'retry+breaker': [
      lifelikeTrial(100, { breaker: openedBreaker }),
      lifelikeTrial(120, { breaker: openedBreaker }),
    ],
  });

/** How many different colours each canvas has: a blank one has one. */
function coloursOfCanvases(): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('canvas')].map((canvas) => {
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer(0))).size;
    }),
  );
}

/** The pictures of all canvases below a selector. */
function pictures(selector: string): Promise<string[]> {
  return page.$$eval(`${selector} canvas`, (canvases) =>
    canvases.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()),
  );
}

/** Waits until the charts have drawn what was asked of them. */
async function settled(): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
}

describe.skipIf(skips)('report.html in a browser', () => {
  it('draws every chart, complains about nothing and asks for nothing from outside', async () => {
    await open(twoStacks());
    const colours = await coloursOfCanvases();
    // Two percentile plots; for each of two stacks five panels and a memory chart.
    expect(colours).toHaveLength(2 + 2 * 6);
    for (const count of colours) expect(count).toBeGreaterThan(10);
    expect(await page.locator('.plot .empty').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('zooms all charts over time together, by a button and by dragging, and back', async () => {
    await open(twoStacks());
    const before = [...(await pictures('#timelines')), ...(await pictures('.memories'))];
    const changed = async () => {
      await settled();
      const after = [...(await pictures('#timelines')), ...(await pictures('.memories'))];
      return after.map((picture, index) => picture !== before[index]);
    };
    await page.click('#timelines [data-zoom="in"]');
    expect(await changed()).toEqual(before.map(() => true));
    await page.click('#timelines [data-zoom="whole"]');
    expect(await changed()).toEqual(before.map(() => false));

    const box = await page.locator('#timelines .u-over').first().boundingBox();
    if (box === null) throw new Error('no chart to drag in');
    await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(2, 2);
    expect(await changed()).toEqual(before.map(() => true));
    expect(complaints).toEqual([]);
  });

  it('switches the class of orders, the scale, the stacks, the trial and the colours', async () => {
    await open(twoStacks());
    let last = await pictures('#percentiles');
    for (const control of ['failed', 'linear', 'retry+breaker']) {
      await page.locator('#percentiles label', { hasText: control }).first().click();
      await settled();
      const now = await pictures('#percentiles');
      expect(now, control).not.toEqual(last);
      last = now;
    }
    expect(await page.locator('.crossings:visible').getAttribute('data-class')).toBe('failed');

    const timelines = await pictures('#timelines');
    await page.selectOption('#trial', '2');
    await settled();
    expect(await pictures('#timelines')).not.toEqual(timelines);
    await expect(page.locator('[data-timeline="0"] .alternative').textContent()).resolves.toContain(
      'trial 2',
    );

    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click('#theme');
    await settled();
    expect(await paper()).not.toBe(light);
    expect(await pictures('#percentiles')).not.toEqual(last);
    expect(complaints).toEqual([]);
  });

  it('shows the smallest page without scrolling sideways, dark where the system is', async () => {
    await open(twoStacks(), { viewport: { width: 375, height: 700 }, colorScheme: 'dark' });
    const [scrollWidth, colour] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      getComputedStyle(document.body).backgroundColor,
    ]);
    expect(scrollWidth).toBe(375);
    expect(colour).toBe('rgb(20, 23, 26)');
  });

  it('lets the keyboard reach every control, each with a focus that is seen', async () => {
    await open(twoStacks());
    // One of a group of radio buttons is enough: the arrow keys reach the others.
    const wanted = await page.$$eval(
      'a, button, select, summary, input[type="checkbox"], input:checked, [tabindex="0"]',
      (elements) => {
        // What a closed table holds is reached once it is open.
        const visible = elements.filter((element) => element.checkVisibility());
        for (const [index, element] of visible.entries()) element.setAttribute('data-stop', String(index));
        return visible.length;
      },
    );
    const stops = new Set<string>();
    for (let press = 0; press < wanted + 5; press += 1) {
      await page.keyboard.press('Tab');
      const [stop, seen] = await page.evaluate(() => {
        const element = document.activeElement;
        const shown = element?.matches('input[type="radio"]') === true ? element.nextElementSibling : element;
        return [
          element?.getAttribute('data-stop') ?? null,
          shown !== null && getComputedStyle(shown).outlineStyle !== 'none',
        ];
      });
      if (stop === null) continue;
      stops.add(stop);
      expect(seen, `stop ${stop}`).toBe(true);
    }
    expect(stops.size).toBe(wanted);
  });

  it('shows hostile names as text', async () => {
    await open(resultOf({ [hostile]: [lifelikeTrial(100)], breaker: [lifelikeTrial(200)] }));
    expect(await page.locator('#percentiles .switch bdi').first().textContent()).toBe(hostile);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toContain(hostile);
    expect((await coloursOfCanvases()).length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  it('says in words what cannot be drawn', async () => {
    await open(resultOf({ baseline: [emptyTrial()] }));
    expect(await page.locator('canvas').count()).toBe(0);
    expect(await page.locator('#percentiles .empty').textContent()).toContain('No line to draw');
    expect(await page.locator('[data-timeline] .empty').allTextContents()).toEqual(
      Array.from({ length: 5 }, () => 'Nothing was measured here.'),
    );
    expect(await page.locator('.warning').textContent()).toContain('No trial of this run is valid');
    expect(complaints).toEqual([]);
  });

  it('can be read without a script', async () => {
    await open(twoStacks(), { javaScriptEnabled: false });
    expect(await page.locator('.comparison').isVisible()).toBe(true);
    expect(await page.locator('.bars:visible').count()).toBeGreaterThan(3);
    expect(await page.locator('.crossings:visible').count()).toBe(3);
    expect(await page.locator('button:visible, select:visible, input:visible').count()).toBe(0);
    await page.locator('#percentiles summary').click();
    expect(await page.locator('#percentiles table').isVisible()).toBe(true);
  });
});
