import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { entryUrl } from '../harness/entry.ts';
import { decodeHistogram, percentileUs, summarise } from '../harness/histogram.ts';
import {
  type ClosedLoop,
  fateOf,
  type LoadReport,
  type LoadTask,
  mergeLoadReports,
  portsOf,
  stopLoad,
  type TrialTimes,
} from '../harness/load-plan.ts';
import { startMetronome } from '../harness/metronome.ts';
import { responseHistogram } from '../harness/recorder.ts';
import { type RequestClass, requestClassOf } from '../harness/request-class.ts';
import { planArrivals } from '../harness/schedule.ts';
import { monotonicMs } from '../harness/time.ts';

/** What the server below did with a request; the moments are `monotonicMs`. */
interface Served {
  readonly id: string;
  readonly receivedMs: number;
  /** Null: not answered. */
  readonly answeredMs: number | null;
}

/** Other requests are known by their path. */
function isOrder({ id }: Served): boolean {
  return !id.startsWith('/');
}

interface ServerLog {
  readonly served: readonly Served[];
  readonly concurrentMax: number;
  /** Sockets that are still open. */
  readonly open: number;
}

/** A server in a thread of its own. Orders are answered as `behaviour` says, a function body that gets `order`. */
class TestServer {
  readonly port: number;
  private readonly thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.thread = thread;
    this.port = port;
  }

  static async start(behaviour: string): Promise<TestServer> {
    const code = `
      const http = require('node:http');
      const { parentPort } = require('node:worker_threads');
      const now = () => Number(process.hrtime.bigint()) / 1e6;
      const served = [];
      let concurrent = 0, concurrentMax = 0;
      const behave = new Function('order', 'pause', ${JSON.stringify(behaviour)});
      const server = http.createServer((request, response) => {
        const receivedMs = now();
        concurrentMax = Math.max(concurrentMax, concurrent += 1);
        let body = '';
        request.on('data', (chunk) => { body += chunk; });
        request.on('end', () => {
          const id = request.method === 'POST' ? JSON.parse(body).orderId : request.url;
          const entry = { id, receivedMs, answeredMs: null };
          served.push(entry);
          const answer = (status, text = '{}') => {
            entry.answeredMs = now();
            concurrent -= 1;
            response.writeHead(status, { 'content-type': 'application/json' }).end(text);
          };
          if (request.method === 'GET') answer(200);
          else behave({ id, index: Number(id.slice(2)), answer, response, receivedMs, now }, pause);
        });
      });
      let pause = { fromMs: Infinity, toMs: Infinity };
      parentPort.on('message', (message) => {
        if (message.pause) pause = message.pause;
        if (message.log) server.getConnections((_, open) => parentPort.postMessage({ served, concurrentMax, open }));
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
    const thread = new Worker(code, { eval: true });
    const [port] = (await once(thread, 'message')) as [number];
    return new TestServer(thread, port);
  }

  pause(fromMs: number, toMs: number): void {
    this.thread.postMessage({ pause: { fromMs, toMs } });
  }

  async log(): Promise<ServerLog> {
    this.thread.postMessage({ log: true });
    const [log] = (await once(this.thread, 'message')) as [ServerLog];
    return log;
  }

  async stop(): Promise<void> {
    await this.thread.terminate();
  }
}

const confirmAtOnce = 'order.answer(201)';
const hang = '';

const pool = new Piscina<LoadTask, LoadReport>({
  filename: entryUrl('workers/load').href,
  execArgv: [],
  atomics: 'disabled',
  minThreads: 2,
  maxThreads: 2,
});
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await pool.destroy();
});

async function serve(behaviour: string): Promise<TestServer> {
  const server = await TestServer.start(behaviour);
  closing.push(() => server.stop());
  return server;
}

interface TrialOptions {
  readonly port: number;
  readonly ratePerS?: number;
  readonly warmupMs?: number;
  readonly windowMs?: number;
  readonly drainMs?: number;
  readonly inFlightMax?: number;
  readonly workers?: number;
  readonly closedLoop?: ClosedLoop;
  /** Called before anything is sent. */
  readonly onTimes?: (times: TrialTimes, progress: readonly MessageChannel['port1'][]) => void;
}

/** One trial with load workers, a metronome and nothing else. */
async function trial(options: TrialOptions) {
  const { ratePerS = 200, warmupMs = 0, windowMs = 500, drainMs = 5000, workers = 1 } = options;
  const dueMs = planArrivals({ ratePerS, arrivals: 'constant', durationMs: warmupMs + windowMs, seed: 1 });
  const metronome = await startMetronome({
    dueMs: options.closedLoop ? new Float64Array(0) : dueMs,
    workers,
    loops: workers,
  });
  closing.push(() => metronome.stop());
  const channels = Array.from({ length: workers }, () => new MessageChannel());
  const progress = channels.map((channel) => channel.port2);
  const readiness = Promise.all(progress.map((port) => once(port, 'message')));
  const reports = channels.map(({ port1 }, worker) => {
    const [ticks, pulses] = [metronome.ticks[worker], metronome.pulses[worker]];
    if (ticks === undefined || pulses === undefined) throw new Error('no port');
    const task: LoadTask = {
      gatewayPort: options.port,
      worker,
      workers,
      loop: options.closedLoop ?? { kind: 'open', dueMs, ticks },
      inFlightMax: options.inFlightMax ?? 5000,
      pulses,
      progress: port1,
    };
    return pool.run(task, { transferList: portsOf(task) });
  });
  await readiness;

  const startMs = monotonicMs() + 50;
  const windowStartMs = startMs + warmupMs;
  const windowEndMs = windowStartMs + windowMs;
  const times: TrialTimes = { startMs, windowStartMs, windowEndMs, deadlineMs: windowEndMs + drainMs };
  for (const port of progress) port.postMessage(times);
  options.onTimes?.(times, progress);
  metronome.start(startMs);
  const measured = [...dueMs.keys()].filter((index) => (dueMs[index] ?? 0) >= warmupMs);
  return {
    report: mergeLoadReports(await Promise.all(reports)),
    times,
    dueAtMs: (index: number) => startMs + (dueMs[index] ?? NaN),
    /** Indices of the orders of the window. */
    orderIndices: measured.filter((index) => requestClassOf(index) === 'orders'),
    /** How many requests of the window are of the class. */
    countOf: (requestClass: RequestClass) =>
      measured.filter((index) => requestClassOf(index) === requestClass).length,
  };
}

describe('in an open loop', () => {
  it('a pause of the server is seen by every request that was due in it (case H54)', async () => {
    const server = await serve(
      `const wait = order.receivedMs >= pause.fromMs ? pause.toMs - order.receivedMs : 0;
       if (wait > 0) setTimeout(() => order.answer(201), wait); else order.answer(201);`,
    );
    let pauseEndMs = NaN;
    const { report, dueAtMs, orderIndices } = await trial({
      port: server.port,
      ratePerS: 100,
      warmupMs: 500,
      windowMs: 6500,
      onTimes: ({ windowStartMs }) => {
        pauseEndMs = windowStartMs + 5500;
        server.pause(windowStartMs + 500, pauseEndMs);
      },
    });

    // The server says when it answered each order: the response times that a perfect client would have seen.
    const answeredMs = new Map(
      (await server.log()).served.map(({ id, answeredMs }) => [id, answeredMs ?? NaN]),
    );
    const exactUs = orderIndices
      .map((index) => ((answeredMs.get(`o-${index}`) ?? NaN) - dueAtMs(index)) * 1000)
      .sort((a, b) => a - b);
    const response = responseHistogram(report.classes.orders, ['confirmed']);
    expect(response.totalCount).toBe(exactUs.length);

    // And what the schedule alone says: whoever is due in the pause waits for its end, everybody else for nothing.
    const closedFormUs = orderIndices
      .map((index) => pauseEndMs - dueAtMs(index))
      .map((waitMs) => (waitMs > 0 && waitMs <= 5000 ? waitMs * 1000 : 0))
      .sort((a, b) => a - b);

    // What the client may add: how late its own loop was, before it sent and before it heard the answer.
    const loopMaxUs = report.loops[0]?.delayUs.max ?? NaN;
    const latenessMaxUs = summarise(decodeHistogram(report.lateness)).max ?? NaN;
    for (const percent of [50, 60, 75, 90, 99, 100]) {
      const exact = exactUs[Math.ceil((percent / 100) * exactUs.length) - 1] ?? NaN;
      const reported = percentileUs(response, percent) ?? NaN;
      const closedForm = closedFormUs[Math.ceil((percent / 100) * closedFormUs.length) - 1] ?? NaN;
      expect(reported).toBeGreaterThanOrEqual(Math.floor(closedForm * 0.999));
      expect(reported).toBeGreaterThanOrEqual(Math.floor(exact * 0.999));
      expect(reported).toBeLessThanOrEqual(exact * 1.001 + latenessMaxUs + 2 * loopMaxUs);
    }
    // Half of the orders of the pause waited more than half of it: 200 of them, and not one.
    const paused = exactUs.filter((us) => us >= 2_500_000).length;
    expect(paused).toBeGreaterThanOrEqual(195);
    expect(percentileUs(response, 100 * (1 - paused / exactUs.length) + 0.1)).toBeGreaterThanOrEqual(
      2_497_500,
    );
  });

  it('every request of the window is sent once, with an id of its own, never early', async () => {
    const server = await serve(confirmAtOnce);
    const { report, orderIndices, countOf, dueAtMs } = await trial({ port: server.port, warmupMs: 300 });
    expect(report.classes.orders).toMatchObject({
      offered: orderIndices.length,
      confirmed: orderIndices.length,
      failures: {},
    });
    for (const name of ['bystander', 'users'] as const)
      expect(report.classes[name]).toMatchObject({ offered: countOf(name), confirmed: countOf(name) });

    const { served } = await server.log();
    const inWindow = served.filter(({ id }) => id.startsWith('o-'));
    expect(inWindow.map(({ id }) => id).sort()).toEqual(orderIndices.map((index) => `o-${index}`).sort());
    expect(new Set(served.filter(({ id }) => id.startsWith('w-')).map(({ id }) => id)).size).toBe(48);
    for (const { id, receivedMs } of inWindow) {
      expect(receivedMs).toBeGreaterThan(dueAtMs(Number(id.slice(2))));
    }
  });

  it('two workers share the schedule, and their reports merge', async () => {
    const server = await serve(confirmAtOnce);
    const { report, orderIndices } = await trial({ port: server.port, workers: 2 });
    expect(report.classes.orders).toMatchObject({
      offered: orderIndices.length,
      confirmed: orderIndices.length,
    });
    expect(orderIndices.every((index) => fateOf(report, index) === 'confirmed')).toBe(true);
    expect(report.loops).toHaveLength(2);
    expect((await server.log()).served.filter(isOrder)).toHaveLength(orderIndices.length);
  });

  it('what is due at the in-flight cap is skipped and counted', async () => {
    const server = await serve(hang);
    const { report, orderIndices, countOf } = await trial({
      port: server.port,
      inFlightMax: 20,
      drainMs: 200,
    });
    const { served, concurrentMax } = await server.log();
    const sent = served.filter(isOrder).length;
    expect(report.classes.orders).toMatchObject({
      offered: orderIndices.length,
      inFlightAtEnd: sent,
      skipped: orderIndices.length - sent,
    });
    expect(report.classes.bystander.offered).toBe(countOf('bystander'));
    expect(report.classes.bystander.skipped).toBeGreaterThan(0);
    expect(concurrentMax).toBe(20);
  });

  it('what has no answer at the deadline is recorded with the time that it has waited, and its socket closed', async () => {
    const server = await serve(hang);
    const { report, orderIndices, times, dueAtMs } = await trial({ port: server.port, drainMs: 1000 });
    expect(report.classes.orders).toMatchObject({
      offered: orderIndices.length,
      inFlightAtEnd: orderIndices.length,
    });
    const waited = responseHistogram(report.classes.orders, ['in-flight']);
    // 0.1 % is the precision of the histogram.
    const leastUs = (times.deadlineMs - dueAtMs(orderIndices.at(-1) ?? NaN)) * 1000;
    expect(percentileUs(waited, 0)).toBeGreaterThanOrEqual(leastUs * 0.999);
    const mostUs = (times.deadlineMs - dueAtMs(orderIndices[0] ?? NaN)) * 1000;
    expect(percentileUs(waited, 100)).toBeGreaterThanOrEqual(mostUs * 0.999);
    expect(orderIndices.every((index) => fateOf(report, index) === 'in-flight')).toBe(true);
    await expect.poll(async () => (await server.log()).open).toBe(0);
  });

  it('answers of every kind, and broken ones, are outcomes', async () => {
    const server = await serve(`switch (order.index % 9) {
      case 0: order.answer(201); break;
      case 1: order.answer(503, '{"failure":"breaker-open"}'); break;
      case 2: order.answer(504, '{"failure":"timeout"}'); break;
      case 3: order.answer(500, '<html>'); break;
      case 4: order.answer(400, '{}'); break;
      case 5: order.answer(200, 'not json'); break;
      case 6: order.response.writeHead(201, { 'content-length': 100 }); order.response.write('{'); setTimeout(() => order.response.destroy(), 5); break;
      case 7: order.response.socket.end('this is not HTTP'); break;
      case 8: order.response.socket.destroy(); break;
    }`);
    const { report, orderIndices } = await trial({ port: server.port });
    const counted = (...kinds: number[]) => orderIndices.filter((index) => kinds.includes(index % 9)).length;
    expect(report.classes.orders).toMatchObject({
      offered: orderIndices.length,
      confirmed: counted(0),
      failures: {
        'breaker-open': counted(1),
        timeout: counted(2),
        'http-5xx': counted(3, 5),
        'http-4xx': counted(4),
        reset: counted(6, 7, 8),
      },
      inFlightAtEnd: 0,
    });
    expect(
      orderIndices
        .filter((index) => fateOf(report, index) === 'breaker-open')
        .every((index) => index % 9 === 1),
    ).toBe(true);
  });

  it('without a server everything is refused', async () => {
    const server = await serve(confirmAtOnce);
    await server.stop();
    const { report, orderIndices, countOf } = await trial({ port: server.port });
    expect(report.classes.orders).toMatchObject({ confirmed: 0, failures: { refused: orderIndices.length } });
    expect(report.classes.bystander.failures).toEqual({ refused: countOf('bystander') });
  });

  it('a stop ends the window at that moment, and what was measured is reported', async () => {
    const server = await serve(hang);
    let steps = 0;
    const { report, times, orderIndices } = await trial({
      port: server.port,
      windowMs: 60_000,
      ratePerS: 100,
      onTimes: (_, [progress]) => {
        progress?.on('message', () => {
          steps += 1;
          if (steps === 2) progress.postMessage(stopLoad);
        });
      },
    });
    expect(report.windowEndMs).toBeLessThan(times.windowEndMs);
    expect(report.classes.orders.offered).toBeGreaterThan(0);
    expect(report.classes.orders.offered).toBeLessThan(orderIndices.length);
    expect(report.classes.orders.inFlightAtEnd).toBeGreaterThan(0);
    expect(report.classes.orders.confirmed).toBe(0);
  });
});

describe('in a closed loop', () => {
  it('each user waits for the answer, thinks, and sends again', async () => {
    const server = await serve('setTimeout(() => order.answer(201), 10)');
    const { report } = await trial({
      port: server.port,
      workers: 2,
      windowMs: 1000,
      closedLoop: { kind: 'closed', users: 5, thinkMs: 20 },
    });
    const { served, concurrentMax } = await server.log();
    const sent = Object.values(report.classes).reduce((sum, { offered }) => sum + offered, 0);
    expect(sent).toBe(served.length);
    expect(report.classes.orders.confirmed).toBe(report.classes.orders.offered);
    expect(concurrentMax).toBeLessThanOrEqual(5);
    // More than one turn each; and nobody can take more turns than the think time leaves room for.
    expect(sent).toBeGreaterThan(5);
    expect(sent).toBeLessThanOrEqual(5 * (1000 / 20 + 1));
    const ids = served.filter(isOrder).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a user whose request hangs sends no other', async () => {
    const server = await serve(hang);
    const { report } = await trial({
      port: server.port,
      drainMs: 200,
      closedLoop: { kind: 'closed', users: 3, thinkMs: 5 },
    });
    expect(report.classes.orders).toMatchObject({ offered: 3, inFlightAtEnd: 3 });
  });
});
