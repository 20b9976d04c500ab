/**
 * The cost of routing: CPU time per request of an application with 6 routes and of one with 372, for the same six paths.
 * Each application is a process of its own; they are measured in alternating rounds.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { load } from '../tools/load/load.ts';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';
import { startServer } from './box.ts';

const few = 6;
const many = 372;
const rounds = 7;
const requestsPerRound = 12_000;
const clients = 8;

interface Server {
  child: ChildProcess;
  url: string;
}

/** Returns the CPU time that the server has used since the last call, in microseconds. */
async function cpuSince({ child }: Server): Promise<number> {
  child.send('cpu');
  const [{ microseconds }] = await once(child, 'message');
  return microseconds;
}

async function round(server: Server): Promise<number> {
  await cpuSince(server);
  await load({
    clients,
    requests: requestsPerRound,
    request: (number) => ({ url: `${server.url}/admin/things-0${paths[number % few]}` }),
  });
  return (await cpuSince(server)) / requestsPerRound;
}

const paths = ['', '/one', '/one/items', '/two/items/7', '/one/notes', '/two/notes/9'];

export async function measure(): Promise<Measurement> {
  const program = './routing-server.ts';
  const servers = [await startServer(program, `${few}`), await startServer(program, `${many}`)] as const;
  try {
    const side = (routes: number, server: Server) => ({
      what: `CPU per request, ${routes} routes`,
      unit: 'µs',
      digits: 1,
      measure: () => round(server),
    });
    return await measureAlternately('routing', rounds, side(many, servers[1]), side(few, servers[0]));
  } finally {
    for (const { child } of servers) child.kill();
  }
}
