/** User app: the user service's HTTP interface, without a process around it. */
import Fastify, { type FastifyInstance } from 'fastify';
import { type User, type UserRequest, userIdPattern } from './user.ts';

const params = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: userIdPattern } },
} as const;

/** `GET /users/:id` answers 200 with a user, whoever it is; 400 for what is no id. `GET /healthz` answers 200. */
export function userApp(): FastifyInstance {
  // Longer than any client keeps an idle connection: whoever reuses one must not race with its closing.
  const app = Fastify({ keepAliveTimeout: 120_000, forceCloseConnections: true });
  app.get('/healthz', () => ({ status: 'up' }));
  app.get<{ Params: UserRequest }>(
    '/users/:id',
    { schema: { params } },
    ({ params: { id } }): User => ({
      id,
      name: `User ${id}`,
      email: `user-${id}@example.com`,
    }),
  );
  return app;
}
