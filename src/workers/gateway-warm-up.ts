/** Gateway warm-up: has this thread take orders over real sockets, so that its code is compiled before the first real one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { confirmed } from '../patterns/outcome.ts';
import { createPaymentClient } from '../targets/payment-client.ts';
import { SocketPool } from '../targets/socket-pool.ts';
import { createGatewayApp } from './gateway-app.ts';

/**
 * A cold gateway needs milliseconds for an order, and its event loop accepts one new connection per turn: under full
 * load the first second's requests wait in sockets that nobody accepts, and it takes the gateway several seconds to catch
 * up, behind which a short warm-up of the trial ends. The thread has nothing else to do while the service starts.
 *
 * @param orders At least; a few at a time.
 */
export async function warmUp(orders = 500): Promise<void> {
  const receipt = JSON.stringify({ paymentId: 'p', orderId: 'o', amountCents: 1, replayed: false });
  const service = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' }).end(receipt);
    });
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const pool = new SocketPool({ connectionsMax: 10, idleMax: 10 });
  const payments = createPaymentClient({ origin: originOf(service.address()), pool });
  const app = createGatewayApp({
    pay: payments.send,
    findUser: ({ id }) => Promise.resolve(confirmed({ id, name: '', email: '' })),
    idempotencyKeys: true,
    onOrder: () => undefined,
    onOrderEnd: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const clients = Array.from({ length: 10 }, () => new Client(originOf(app.server.address())));
  for (let sent = 0; sent < orders; sent += clients.length) {
    await Promise.all(clients.map((client) => sendOrder(client)));
  }
  await Promise.all([...clients.map((client) => client.close()), app.close()]);
  await pool.close();
  service.close();
}

async function sendOrder(client: Client): Promise<void> {
  const { body } = await client.request({
    method: 'POST',
    path: '/orders',
    headers: { 'content-type': 'application/json' },
    body: '{"orderId":"o","amountCents":1}',
  });
  await body.dump();
}

function originOf(address: AddressInfo | string | null): string {
  return `http://127.0.0.1:${(address as AddressInfo).port}`;
}
