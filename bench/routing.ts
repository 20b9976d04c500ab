/**
 * What routing costs: CPU time a request of one application with 6 routes and of one with 372, asked the same six
 * things. Each application is a process of its own; they are asked in turn, several rounds, and the medians compared.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startServer } from './box.ts';
import { load } from './load.ts';
import { type Measurement, median, rounded } from './measurement.ts';

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
    for (const server of servers) await round(server);
    const costs: [number[], number[]] = [[], []];
    for (let turn = 0; turn < rounds; turn++) {
      for (const index of [0, 1] as const) costs[index].push(await round(servers[index]));
      console.log(
        `round ${turn + 1} of ${rounds}: ${few} routes ${show(costs[0].at(-1))}, ${many} routes ${show(costs[1].at(-1))}`,
      );
    }
    const [fewCost, manyCost] = costs.map(median) as [number, number];
    return {
      name: 'routing',
      ratio: rounded(manyCost / fewCost),
      box: { what: `CPU a request, ${many} routes`, value: rounded(manyCost, 1), unit: 'µs' },
      peer: { what: `CPU a request, ${few} routes`, value: rounded(fewCost, 1), unit: 'µs' },
    };
  } finally {
    for (const { child } of servers) child.kill();
  }
}

function show(microseconds: number | undefined): string {
  return `${microseconds?.toFixed(1)} µs`;
}
