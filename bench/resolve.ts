/**
 * `GET /boxes/resolve` of a control plane with a million domains (`DOMAINS`), and of one with a thousand, in alternating
 * rounds; the memory of a domain, the start, and the time until another replica serves a deployment.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from '@carton/runtime/service';
import { repeat } from '../tools/load/load.ts';
import { type Measurement, measureAlternately, median, percentile } from '../tools/load/measurement.ts';
import { startServer, withPostgres } from './box.ts';

const few = 1_000;
const many = Number(process.env.DOMAINS ?? 1_000_000);
const rounds = 7;
const requestsPerRound = 12_000;
const clients = 16;
const deployments = 200;
const adminSecret = randomBytes(24).toString('hex');

type Server = Awaited<ReturnType<typeof startServer>>;

const start = (databaseUrl: string) => startServer('./resolve-server.ts', databaseUrl, adminSecret);

/** Creates a database with this many domains of a thousand boxes, and starts a control plane on it. */
async function startWith(postgresUrl: string, domains: number): Promise<{ server: Server; databaseUrl: string }> {
  const admin = connect({ url: postgresUrl, poolSize: 1 });
  const name = `domains_${domains}`;
  await admin.raw(`create database ${name}`);
  await admin.destroy();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const databaseUrl = url.href;
  // Its first start creates the tables.
  (await start(databaseUrl)).child.kill();
  const db = connect({ url: databaseUrl, poolSize: 1 });
  await db.raw(
    `insert into boxes (id, customer_id, name, backend_url)
     select gen_random_uuid(), 'customer-' || number, 'box', 'http://127.0.0.1:' || 10000 + number
       from generate_series(0, 999) as number`,
  );
  await db.raw(
    `insert into box_domains (customer_id, domain, box_id, position, state, proved_by)
     select boxes.customer_id, 'www-' || number || '.customer-' || number % 1000 || '.example', boxes.id, number,
            'proved', 'reserved'
       from generate_series(0, ?::integer) as number
       join boxes on boxes.customer_id = 'customer-' || number % 1000`,
    [domains - 1],
  );
  await db.raw('analyze');
  await db.destroy();
  return { server: await start(databaseUrl), databaseUrl };
}

/** How long it took to start, and its resident memory. */
async function stateOf({ child }: Server): Promise<{ seconds: number; bytes: number }> {
  child.send('state');
  const [state] = await once(child, 'message');
  return state;
}

/** Resolves random hosts. Returns requests per second, and adds the milliseconds of each to `latencies`. */
async function resolveHosts({ url }: Server, domains: number, latencies: number[]): Promise<number> {
  const seconds = await repeat({ url, clients, times: requestsPerRound }, async (send) => {
    const number = Math.floor(Math.random() * domains);
    const began = performance.now();
    const host = `www-${number}.customer-${number % 1000}.example`;
    const { status } = await send({ url: `${url}/boxes/resolve?host=${host}` });
    latencies.push(performance.now() - began);
    if (status !== 200) throw new Error(`${host}: ${status}`);
  });
  return requestsPerRound / seconds;
}

/** Milliseconds from the response to a deployment until another replica serves it. */
async function measureReplication(server: Server, databaseUrl: string): Promise<number[]> {
  const replica = await start(databaseUrl);
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminSecret}` };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ key: string }>;
  };
  try {
    const { key } = await post('/license/keys', { customerId: 'deploying', tier: 'basic' });
    const delays: number[] = [];
    for (let number = 0; number < deployments; number++) {
      const domain = `deployed-${number}.example`;
      await post('/boxes/deploy', {
        key,
        name: `box-${number}`,
        backendUrl: 'http://127.0.0.1:8080',
        domains: [domain],
      });
      const began = performance.now();
      while ((await fetch(`${replica.url}/boxes/resolve?host=${domain}`)).status !== 200);
      delays.push(performance.now() - began);
    }
    return delays;
  } finally {
    replica.child.kill();
  }
}

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url }) => {
    const [small, large] = [await startWith(url, few), await startWith(url, many)];
    try {
      const latencies = { small: [] as number[], large: [] as number[] };
      const [fewState, manyState] = [await stateOf(small.server), await stateOf(large.server)];
      console.log(
        `start: ${fewState.seconds.toFixed(2)} s with ${few} domains, ${manyState.seconds.toFixed(2)} s with ${many}`,
      );
      const bytes = (manyState.bytes - fewState.bytes) / (many - few);
      console.log(
        `resident memory: ${Math.round(manyState.bytes / 2 ** 20)} MiB, ${Math.round(bytes)} bytes per domain`,
      );
      const side = (server: Server, domains: number, collected: number[]) => ({
        what: `GET /boxes/resolve, ${domains} domains, ${clients} clients`,
        unit: 'requests/s',
        async measure(round: number) {
          const taken: number[] = [];
          const perSecond = await resolveHosts(server, domains, taken);
          if (round > 0) collected.push(percentile(taken, 99));
          return perSecond;
        },
      });
      const measurement = await measureAlternately(
        'resolve',
        rounds,
        side(large.server, many, latencies.large),
        side(small.server, few, latencies.small),
      );
      const [largest, smallest] = [median(latencies.large), median(latencies.small)];
      console.log(
        `p99: ${largest.toFixed(2)} ms and ${smallest.toFixed(2)} ms, ratio ${(largest / smallest).toFixed(3)}`,
      );
      const delays = await measureReplication(large.server, large.databaseUrl);
      console.log(
        `another replica serves a deployment after ${median(delays).toFixed(1)} ms, p99 ${percentile(delays, 99).toFixed(1)} ms`,
      );
      return measurement;
    } finally {
      for (const { server } of [small, large]) server.child.kill();
    }
  });
}
