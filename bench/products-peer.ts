/**
 * A bare Koa and pg server that runs prepared statements one after the other and responds with their rows as JSON.
 */
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import type { Statement } from './box.ts';

const { url, statements } = JSON.parse(process.argv[2] as string) as { url: string; statements: Statement[] };
const pool = new pg.Pool({ connectionString: url, max: 10 });
const app = new Koa();
app.use(async (ctx) => {
  const lists: unknown[] = [];
  for (const [index, statement] of statements.entries()) {
    lists.push((await pool.query({ name: `statement ${index}`, ...statement })).rows);
  }
  ctx.body = lists;
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
