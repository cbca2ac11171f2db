/** Kit: a real Redis server for tests, on a free port, that can be stopped, killed and started again. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inCi } from './ci.test.kit.ts';
import { freePort } from './free-port.test.kit.ts';

const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
/** Whether tests that need one are skipped. Not in CI: there they fail where it is missing. */
export const skipWithoutRedis = !hasRedis && !inCi;
if (skipWithoutRedis) console.warn('redis-server is not installed: the tests that need one are skipped');

export class RedisServer {
  readonly port: number;
  private readonly options: readonly string[];
  private child: ChildProcess | undefined;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.options = options;
  }

  /** Starts one that keeps nothing on disk. `options` as on its command line. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** On the same port; what an earlier one knew is forgotten. */
  async start(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn('redis-server', [...settings, ...this.options], { stdio: 'ignore' });
    // Where there is none, that is an error of this very test.
    await once(this.child, 'spawn');
    while (!(await canConnect(this.port))) {
      if (this.child.exitCode !== null) throw new Error('redis-server ended at once');
      await sleep(10);
    }
  }

  /** Lets it hang: connections stay and are accepted, nothing is answered. */
  hang(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
