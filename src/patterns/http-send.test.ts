import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';
import { httpSend } from './http-send.ts';
import { confirmed } from './outcome.ts';
import { callOf } from './sim.test.kit.ts';
import { timeout } from './timeout.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = httpSend((url: string, call) => fetch(url, { signal: call.cancellation.signal }));

describe('httpSend', () => {
  it('confirms with the response', async () => {
    const url = await serve((_, response) => response.end('paid'));
    const outcome = await send(url, callOf());
    expect(outcome.ok && (await outcome.value.text())).toBe('paid');
  });

  it.each([
    [503, 'http-5xx'],
    [500, 'http-5xx'],
    [404, 'http-4xx'],
  ])('takes a status of %d for %s, with what Retry-After says', async (status, kind) => {
    const url = await serve((_, response) => response.writeHead(status, { 'retry-after': '2' }).end('no'));
    expect(await send(url, callOf())).toEqual({
      ok: false,
      failure: { kind, status, retryAfterMs: 2000 },
    });
  });

  it('takes a Retry-After that is a date by the clock that it is given', async () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const later = new Date(nowMs + 5000).toUTCString();
    const url = await serve((_, response) => response.writeHead(503, { 'retry-after': later }).end('no'));
    const timed = httpSend(() => fetch(url), { wallClock: () => nowMs });
    expect(await timed(undefined, callOf())).toMatchObject({ failure: { retryAfterMs: 5000 } });
  });

  it('knows a refused connection from one that broke', async () => {
    const broken = await serve((request) => request.socket.destroy());
    expect(await send(broken, callOf())).toMatchObject({ failure: { kind: 'reset' } });
    const url = await serve(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await send(url, callOf())).toMatchObject({ failure: { kind: 'refused' } });
  });

  it('ends as cancelled, with the reason, when it is cancelled', async () => {
    const cancellation = new Cancellation();
    const url = await serve(() => {
      cancellation.cancel('gone');
    });
    expect(await send(url, callOf({ cancellation }))).toEqual({
      ok: false,
      failure: { kind: 'cancelled', reason: 'gone' },
    });
  });

  it('reads a body as a part of the attempt, under its timeout', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('half of it');
    });
    const reads = httpSend((at: string, call) => fetch(at, { signal: call.cancellation.signal }), {
      read: (response) => response.text(),
    });
    expect(await timeout({ limitMs: 50 })(reads)(url, callOf())).toMatchObject({
      failure: { kind: 'timeout' },
    });
    const whole = await serve((_, response) => response.end('paid'));
    expect(await reads(whole, callOf())).toEqual(confirmed('paid'));
  });

  it.each([
    ['connect', 'refused'],
    ['read', 'reset'],
  ])('takes a host that is unreachable at %s for %s', async (syscall, kind) => {
    const throws = httpSend(() =>
      Promise.reject(
        new TypeError('fetch failed', {
          cause: Object.assign(new Error('unreachable'), { code: 'EHOSTUNREACH', syscall }),
        }),
      ),
    );
    expect(await throws(undefined, callOf())).toMatchObject({ failure: { kind } });
  });

  it('does not take fetch itself, which would lose the key and the signal', () => {
    expect(() => httpSend(fetch as never)).toThrow(
      /^httpSend takes a function that calls fetch, .* not fetch itself$/,
    );
  });

  it('says that an attempt has returned no Response', async () => {
    const parsed = httpSend(() => Promise.resolve({ paid: true } as unknown as Response));
    const outcome = await parsed(undefined, callOf());
    expect(outcome).toMatchObject({ failure: { kind: 'reset' } });
    expect(!outcome.ok && String(outcome.failure.reason)).toBe(
      'TypeError: the attempt has to return a Response; it returned [object Object]',
    );
  });

  it('takes a function that throws at once for a call that failed', async () => {
    const throws = httpSend(() => {
      throw new TypeError('no URL');
    });
    expect(await throws(undefined, callOf())).toMatchObject({ failure: { kind: 'reset' } });
  });
});
