/** Load requests: what a load worker sends for each class of requests. Pure. */
import { orderId } from '../harness/load-plan.ts';
import type { RequestClass } from '../harness/request-class.ts';
import type { LoadHttpRequest } from './load-client.ts';

/** The request with this index in the schedule, the same in every trial. */
type RequestOf = (index: number, inWindow: boolean) => LoadHttpRequest;

const jsonHeaders = { 'content-type': 'application/json' };
/** There are this many users, each asked for in turn. */
const users = 1000;

export const loadRequests: Readonly<Record<RequestClass, RequestOf>> = {
  orders: (index, inWindow) => ({
    request: {
      method: 'POST',
      path: '/orders',
      headers: jsonHeaders,
      body: JSON.stringify({ orderId: orderId(index, inWindow), amountCents: amountCents(index) }),
    },
    confirmedStatus: 201,
  }),
  bystander: () => ({ request: { method: 'GET', path: '/catalog' }, confirmedStatus: 200 }),
  users: (index) => ({
    request: { method: 'GET', path: `/users/${1 + (Math.floor(index / 10) % users)}` },
    confirmedStatus: 200,
  }),
};

/** Some amount between 1 and 100. */
function amountCents(index: number): number {
  return 100 + ((index * 7919) % 9901);
}
