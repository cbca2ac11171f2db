/** External target: a payment service that the user runs, by its address. Nobody here starts, watches or ends it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { UsageError } from '../patterns/usage-error.ts';

export interface ExternalTarget {
  /** `http://127.0.0.1:3000` */
  readonly origin: string;
}

/** Whether a `--target` is an address, well-formed or not, and not the name of a target. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** @throws {UsageError} If it is no address of an HTTP service. */
export function parseExternalTarget(text: string): ExternalTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url?.protocol === 'http:' &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.port !== '0';
  if (!isOrigin) {
    throw new UsageError(
      'allowed: http://HOST:PORT and nothing behind it (payments go to POST /payments there), as http://127.0.0.1:3000',
    );
  }
  return { origin: url.origin };
}

/**
 * Load is for machines that somebody has agreed to have loaded: this one, or one that is named.
 *
 * @param allowedHost What `--allow-remote` names.
 * @throws {UsageError} If the target is on another machine, and that is not what was allowed; or nothing had to be allowed.
 */
export function checkHost({ origin }: ExternalTarget, allowedHost: string | undefined): void {
  const { hostname } = new URL(origin);
  if (isLoopback(hostname)) {
    if (allowedHost === undefined) return;
    throw new UsageError(`--allow-remote has no effect: --target ${origin} is on this machine; leave it out`);
  }
  if (allowedHost?.toLowerCase() === hostname) return;
  throw new UsageError(
    allowedHost === undefined
      ? `--target ${origin} is not on this machine, and this is a load generator; allowed: a loopback address as http://127.0.0.1:3000, or --allow-remote ${hostname} if its owner agrees`
      : `--allow-remote ${allowedHost} is not the host of --target ${origin}; allowed: ${hostname}`,
  );
}

/** As a URL writes them: it has turned `127.1` and `0x7f000001` into dotted form. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

const patienceMs = 3000;

/** @throws {UsageError} One line, if nothing takes a connection there. */
export async function checkExternalTarget({ origin }: ExternalTarget): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) });
  socket.setTimeout(patienceMs, () => socket.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
  try {
    await once(socket, 'connect');
  } catch (error) {
    throw new UsageError(`--target ${origin}: ${meaningOf(error as NodeJS.ErrnoException)}`);
  } finally {
    socket.destroy();
  }
}

function meaningOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused); start the service first';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no host of this name';
  return `not reachable (${message || (code ?? 'unknown')})`;
}
