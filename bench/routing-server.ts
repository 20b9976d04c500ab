/**
 * An application with a number of routes that resemble those of packages: groups of six under /admin.
 */
import { createApp, listen, type Route, routeFor, startOperations, Type } from '@carton/runtime/service';
import { pino } from 'pino';

const count = Number(process.argv[2]);
const route = routeFor<object>();
const shapes = ['', '/:name', '/:name/items', '/:name/items/:item', '/:name/notes', '/:name/notes/:note'];

const routes: Route<object>[] = Array.from({ length: count }, (_, index) => {
  const path = `/admin/things-${Math.floor(index / shapes.length)}${shapes[index % shapes.length]}`;
  return route(
    {
      method: 'get',
      path,
      operationId: `read${index}`,
      tag: 'Things',
      summary: 'Read a thing',
      access: 'public',
      status: 200,
      response: Type.Object({ path: Type.String() }),
    },
    () => ({ path }),
  );
});

const log = pino({ level: 'silent' });
// Requests are counted as in a box.
const operations = await startOperations({ log, about: {} });
const app = createApp({
  routes,
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log,
  observeRequest: operations.observeRequest,
});
const server = await listen(app, '127.0.0.1', 0);
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  process.send?.({ microseconds: user + system });
});
process.send?.({ url: server.url });
