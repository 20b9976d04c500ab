/**
 * A server with one route, which takes any JSON as `data`.
 */

import { pino } from 'pino';
import type { Test } from 'tap';
import { type AppOptions, createApp, listen, object, routeFor } from '../index.ts';
import { Metadata } from '../schemas.ts';

type ListenOptions = Parameters<typeof listen>[3];

/** @returns the server, and the data that it has received */
export async function startNotes(
  t: Pick<Test, 'teardown'>,
  bodyLimit?: number,
  options: Pick<AppOptions<null, object>, 'bodyDeadline'> = {},
  listening?: ListenOptions,
) {
  const received: unknown[] = [];
  const write = routeFor<object>()(
    {
      method: 'post',
      path: '/notes',
      operationId: 'createNote',
      tag: 'Notes',
      summary: 'Create a note',
      access: 'public',
      body: object({ data: Metadata }),
      ...(bodyLimit && { bodyLimit }),
      status: 204,
    },
    ({ body }) => {
      received.push(body.data);
    },
  );
  const app = createApp<null, object>({
    routes: [write],
    accessKinds: [],
    scope: () => null,
    services: () => ({}),
    log: pino({ level: 'silent' }),
    ...options,
  });
  const server = await listen(app, '127.0.0.1', 0, listening);
  t.teardown(() => server.stop());
  return { server, received };
}
