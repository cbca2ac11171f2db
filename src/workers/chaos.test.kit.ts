/** Kit: real gateway threads before a real payment service, and a network between them that can be cut. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { expect } from 'vitest';
import type { GatewayReport, GatewaySample } from '../harness/gateway-plan.ts';
import { GatewayThread } from '../harness/gateway-thread.ts';
import type { RateLimitPlan } from '../harness/rate-limit-plan.ts';
import { monotonicMs } from '../harness/time.ts';
import { parseStacks } from '../patterns/stack-plan.ts';

/** As long as something may take on a busy machine. */
export const patience = { timeout: 20_000, interval: 10 };

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Answer {
  readonly status: number;
  /** Of a problem document; absent where the order was confirmed. */
  readonly failure?: string;
  readonly headers: Headers;
}

/** One gateway thread, measured from its start on. */
export class TestGateway {
  private readonly thread = new GatewayThread(
    () => undefined,
    () => undefined,
  );
  private readonly channel = new MessageChannel();
  private port = 0;
  private orders = 0;

  static async start(
    upstream: Address,
    plan: { readonly stack: string; readonly set?: readonly string[]; readonly rateLimit?: RateLimitPlan },
  ): Promise<TestGateway> {
    const gateway = new TestGateway();
    const [stack = expect.fail('no stack')] = parseStacks(plan.stack, [
      'pools.connectionsMax=10',
      ...(plan.set ?? []),
    ]);
    gateway.port = await gateway.thread.start({
      stack,
      seed: 1,
      // Nobody asks for users.
      origins: { payments: originOf(upstream), users: originOf(upstream) },
      port: 0,
      rateLimit: plan.rateLimit ?? null,
      sampleEveryMs: 5,
      attemptsById: false,
      pulses: gateway.channel.port2,
    });
    gateway.thread.measure(monotonicMs(), Infinity);
    // It samples on the loop on which it hears of its window: two turns later it has.
    await gateway.sample();
    await gateway.sample();
    return gateway;
  }

  /** Sends an order of its own number. */
  async order(headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.port}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ orderId: `${this.port}-${++this.orders}`, amountCents: 100 }),
    });
    const { failure } = (await response.json()) as { failure?: string };
    return {
      status: response.status,
      headers: response.headers,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /** Sends one order after the other until an answer, the last one, is what is waited for. Returns all of them. */
  async orderUntil(
    isIt: (answer: Answer) => boolean,
    headers: Record<string, string> = {},
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    await expect
      .poll(async () => {
        const answer = await this.order(headers);
        answers.push(answer);
        return isIt(answer);
      }, patience)
      .toBe(true);
    return answers;
  }

  /** What the gateway says about itself from now on. */
  async sample(): Promise<GatewaySample> {
    const askedMs = monotonicMs();
    const latest = () => this.thread.samples.at(-1);
    await expect.poll(() => latest()?.atMs, { ...patience, interval: 1 }).toBeGreaterThan(askedMs);
    return latest() ?? expect.fail('no sample');
  }

  /** Closes it. */
  async report(): Promise<GatewayReport> {
    this.thread.endWindow(monotonicMs());
    this.channel.port1.close();
    return this.thread.stop();
  }

  end(): Promise<void> {
    this.channel.port1.close();
    return this.thread.end();
  }
}

function originOf({ host, port }: Address): string {
  return `http://${host}:${port}`;
}

/** What lies between one caller and a server. It can be cut, and mended. */
export class Network implements Address {
  readonly host = '127.0.0.1';
  port = 0;
  private readonly to: Address;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((inside) => {
    const outside = connect(this.to.port, this.to.host);
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });

  private constructor(to: Address) {
    this.to = to;
  }

  static async between(to: Address): Promise<Network> {
    const network = new Network(to);
    await network.mend();
    return network;
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** On the same port. */
  async mend(): Promise<void> {
    this.server.listen(this.port, this.host);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }
}
