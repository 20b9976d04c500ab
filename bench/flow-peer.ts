/**
 * A bare Koa and pg server. Its path names a request of the flow and a guest: it runs the statements that the box sends
 * for that request, in as many round trips and in the same transactions, and responds with their rows as JSON.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import { type FlowTemplate, fill, valuesOfGuest } from './flow-variables.ts';

const { url, file } = JSON.parse(process.argv[2] as string) as { url: string; file: string };
const template = JSON.parse(readFileSync(file, 'utf8')) as FlowTemplate;

/** The statements of each request, by round trip. */
const requests = template.requests.map((statements, request) => {
  const named = statements.map((statement, index) => ({ ...statement, name: `statement ${request}.${index}` }));
  const roundTrips = [...new Set(named.map(({ roundTrip }) => roundTrip))];
  return roundTrips.map((number) => named.filter(({ roundTrip }) => roundTrip === number));
});

const pool = new pg.Pool({ connectionString: url, max: 10, pipeline: true } as pg.PoolConfig);
const app = new Koa();
app.use(async (ctx) => {
  const [, request, run, number] = ctx.path.split('/').map(Number) as [number, number, number, number];
  const guest = valuesOfGuest(template, run, number);
  const client = await pool.connect();
  try {
    const lists: unknown[] = [];
    for (const roundTrip of requests[request] ?? []) {
      const results = await Promise.all(
        roundTrip.map(({ name, text, values }) =>
          client.query(
            values.length === 0 ? { text } : { name, text, values: values.map((value) => fill(value, guest)) },
          ),
        ),
      );
      lists.push(...results.map(({ rows }) => rows));
    }
    ctx.body = lists;
  } finally {
    client.release();
  }
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
