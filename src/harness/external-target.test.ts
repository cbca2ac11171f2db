import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkExternalTarget, checkHost, isAddress, parseExternalTarget } from './external-target.ts';
import { freePort } from './free-port.test.kit.ts';

const at = (origin: string) => ({ origin });

describe('an external target', () => {
  it.each([
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['HTTP://Example.com', 'http://example.com'],
  ])('%s', (text, origin) => {
    expect(isAddress(text)).toBe(true);
    expect(parseExternalTarget(text)).toEqual({ origin });
  });

  it.each([
    'https://127.0.0.1',
    'http://127.0.0.1/payments',
    'http://user:pass@127.0.0.1',
    'http://127.0.0.1?a=b',
    'http://',
    'http://127.0.0.1:99999',
    'ftp://127.0.0.1',
  ])('refuses %s', (text) => {
    expect(isAddress(text)).toBe(true);
    expect(() => parseExternalTarget(text)).toThrow(/^allowed: http:\/\/HOST:PORT/);
  });

  it('is no name of a target', () => {
    expect(['leaky', 'kill:everyMs=3s', 'flap:how=hang'].some(isAddress)).toBe(false);
  });
});

describe('checkHost', () => {
  it.each([
    'http://127.0.0.1:1',
    'http://127.1.2.3',
    'http://localhost',
    'http://[::1]:1',
    'http://2130706433',
  ])('takes %s for this machine', (text) => {
    const target = parseExternalTarget(text);
    expect(() => {
      checkHost(target, undefined);
    }).not.toThrow();
    expect(() => {
      checkHost(target, 'localhost');
    }).toThrow('--allow-remote has no effect');
  });

  it.each([
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://128.0.0.1',
  ])('takes %s for another', (origin) => {
    const { hostname } = new URL(origin);
    expect(() => {
      checkHost(at(origin), undefined);
    }).toThrow(`--allow-remote ${hostname} if its owner agrees`);
    expect(() => {
      checkHost(at(origin), 'other.example.com');
    }).toThrow(`allowed: ${hostname}`);
    expect(() => {
      checkHost(at(origin), hostname.toUpperCase());
    }).not.toThrow();
  });
});

describe('checkExternalTarget', () => {
  it('is content with whoever takes connections', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await checkExternalTarget(at(`http://127.0.0.1:${port}`));
    server.close();
  });

  it('says in one line that nobody is there', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    await expect(checkExternalTarget(at(origin))).rejects.toThrow(
      `--target ${origin}: nothing listens there (connection refused); start the service first`,
    );
  });
});
