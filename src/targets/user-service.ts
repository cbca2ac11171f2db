/** User service: a service that is always well, in a process of its own. It ends with the IPC channel to its starter. */
import type { AddressInfo } from 'node:net';
import { favourThisThread } from '../harness/thread-priority.ts';
import type { UserServiceMessage } from '../harness/user-service-process.ts';
import { userApp } from './user-app.ts';

process.on('disconnect', () => process.exit(0));
if (!process.connected) process.exit(0);

favourThisThread();
const app = userApp();
await app.listen({ host: '127.0.0.1', port: 0 });
const message: UserServiceMessage = { type: 'ready', port: (app.server.address() as AddressInfo).port };
process.send?.(message);
