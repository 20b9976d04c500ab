/**
 * What routing costs: CPU time a request of one application with 6 routes and of one with 372, asked the same six
 * things. Each application is a process of its own; they are asked in turn, several rounds, and the medians compared.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { load } from '../tools/load/load.ts';
import { inTurn, type Measurement } from '../tools/load/measurement.ts';
import { startServer } from './box.ts';

const few = 6;
const many = 372;
const rounds = 7;
const requestsARound = 12_000;
const clients = 8;

interface Server {
  child: ChildProcess;
  url: string;
}

/** CPU time the server used since it was last asked, in microseconds. */
async function cpuSince({ child }: Server): Promise<number> {
  child.send('cpu');
  const [{ microseconds }] = await once(child, 'message');
  return microseconds;
}

async function round(server: Server): Promise<number> {
  await cpuSince(server);
  await load({
    clients,
    requests: requestsARound,
    request: (number) => ({ url: `${server.url}/admin/things-0${paths[number % few]}` }),
  });
  return (await cpuSince(server)) / requestsARound;
}

const paths = ['', '/one', '/one/items', '/two/items/7', '/one/notes', '/two/notes/9'];

export async function measure(): Promise<Measurement> {
  const program = './routing-server.ts';
  const servers = [await startServer(program, `${few}`), await startServer(program, `${many}`)] as const;
  try {
    const side = (routes: number, server: Server) => ({
      what: `CPU a request, ${routes} routes`,
      unit: 'µs',
      digits: 1,
      measure: () => round(server),
    });
    return await inTurn('routing', rounds, side(many, servers[1]), side(few, servers[0]));
  } finally {
    for (const { child } of servers) child.kill();
  }
}
