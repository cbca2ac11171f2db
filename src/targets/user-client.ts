/** User client: how the gateway asks the user service for a user. */
import { createUpstreamClient, type UpstreamClient, type UpstreamClientOptions } from './upstream-client.ts';
import type { User, UserRequest } from './user.ts';

export type UserClient = UpstreamClient<UserRequest, User>;

/** `confirmed` is a user. */
export function createUserClient(
  options: Omit<UpstreamClientOptions<UserRequest, User>, 'protocol'>,
): UserClient {
  return createUpstreamClient({
    ...options,
    protocol: {
      request: ({ id }) => ({ path: `/users/${encodeURIComponent(id)}` }),
      read: (answer) => (isUser(answer) ? answer : undefined),
    },
  });
}

function isUser(answer: unknown): answer is User {
  return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string';
}
