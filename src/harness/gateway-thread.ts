/** Gateway thread: the gateway as the trial sees it. */
import { UsageError } from '../patterns/usage-error.ts';
import type { FromGateway, GatewayPlan, GatewayReport, GatewaySample, ToGateway } from './gateway-plan.ts';
import { MachineError } from './machine-error.ts';
import { Thread } from './thread.ts';

/** What it may take to close, however busy it is. */
const stopMs = 30_000;
/** What it may take to load its code, the user's module twice, and to listen. */
const startMs = 30_000;

export class GatewayThread {
  /** What it said about itself, every 250 ms. */
  readonly samples: GatewaySample[] = [];
  private readonly thread = new Thread<ToGateway, FromGateway>('workers/gateway');

  /** The user's module in it. */
  private own: string | undefined;
  private stopping = false;

  /**
   * The thread starts to load its code at once; the plan may come later.
   *
   * @param onLost Hears, at most once, that it has died.
   */
  constructor(onSample: (sample: GatewaySample) => void, onLost: (error: Error) => void) {
    this.thread.onDeath((error) => {
      if (!this.stopping) onLost(this.explained(error));
    });
    this.thread.onMessage((message) => {
      if (message.type !== 'sample') return;
      this.samples.push(message.sample);
      onSample(message.sample);
    });
  }

  /**
   * Resolves with the port when the gateway takes orders.
   *
   * @throws {UsageError} If the port is taken, or a module of the user's keeps it from starting.
   */
  async start(plan: GatewayPlan): Promise<number> {
    const started = this.thread.first((message) =>
      message.type === 'ready' || message.type === 'failed' ? message : undefined,
    );
    if (plan.stack.maker?.kind === 'module') this.own = plan.stack.maker.file;
    this.thread.post({ type: 'start', plan }, [plan.pulses]);
    const answer = await this.thread.within(startMs, started.catch(this.rethrow), () =>
      this.fault(`the gateway did not start within ${startMs / 1000} s`),
    );
    if (answer.type === 'ready') return answer.port;
    if (answer.code === 'EADDRINUSE') {
      throw new UsageError(`--gateway-port ${plan.port} is taken; allowed: a free port, or 0 for any`);
    }
    throw this.fault(`the gateway cannot be started: ${answer.message}`);
  }

  measure(fromMs: number, toMs: number): void {
    this.thread.post({ type: 'window', fromMs, toMs });
  }

  endWindow(atMs: number): void {
    this.thread.post({ type: 'end-window', atMs });
  }

  /** Resolves when the gateway has closed: no attempt is made afterwards. */
  async stop(): Promise<GatewayReport> {
    this.stopping = true;
    const reported = this.thread.first((message) => (message.type === 'report' ? message.report : undefined));
    const closed = this.thread.first((message) => message.type === 'closed' || undefined);
    this.thread.post({ type: 'stop' });
    const ended = Promise.all([reported, closed]).catch(this.rethrow);
    const [report] = await this.thread.within(stopMs, ended, () =>
      this.fault(`the gateway did not answer within ${stopMs / 1000} s: its event loop is blocked`),
    );
    return report;
  }

  private readonly rethrow = (error: unknown): never => {
    throw this.explained(error as Error);
  };

  /** Why it has died. */
  private explained(error: Error): Error {
    return this.own === undefined
      ? error
      : new UsageError(`${this.own} has ended the gateway: ${error.message}`);
  }

  /** What it does not do. Where a module of the user's runs in it, that is where to look. */
  private fault(why: string): Error {
    return this.own === undefined ? new MachineError(why) : new UsageError(`${why}; ${this.own} runs in it`);
  }

  /** Ends the thread, whatever it is doing. */
  end(): Promise<void> {
    return this.thread.end();
  }
}
