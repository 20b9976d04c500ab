/**
 * Responses with values that their schema refuses, in production: lists and their pages, reads, selected fields, exports,
 * the log and the counts. In tests all of them fail.
 */
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { callerOf } from '../../testing/client.ts';
import { exactly } from '../../testing/exactly.ts';
import {
  createApp,
  decodeCursor,
  listen,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  routeFor,
  Type,
} from '../index.ts';
import { pageOfRows } from '../paging.ts';

const Money = object({ amount: Type.Integer(), currency: Type.String() }, { $id: 'Money' });
const Order = object(
  { id: Type.String(), state: oneOf(['open', 'closed']), total: Money, balance: nullable(Money) },
  { $id: 'Order' },
);
const euro = (amount: unknown) => ({ amount, currency: 'EUR' });
const order = { id: '1', state: 'open', total: euro(5), balance: null };

const table = Array.from({ length: 9 }, (_, index) => {
  const id = `0198f5a2-7c1e-7b5a-9f51-3f6a52a1c00${index}`;
  const row = { ...order, id, secret: 'hidden', total: euro(index) };
  if (index % 3 === 1) return { ...row, total: euro(null) };
  return index === 5 ? { ...row, balance: 'hidden' } : row;
});
const good = table.filter((_, index) => index % 3 !== 1).map(({ id }) => id);
const route = routeFor<object>();
const base = { tag: 'Orders', access: 'public', status: 200, method: 'get' } as const;
const routes = [
  route(
    {
      ...base,
      path: '/orders',
      operationId: 'listOrders',
      summary: 'List',
      query: pageQuery(),
      response: pageOf(Order, 'OrderPage'),
      fields: true,
    },
    ({ query }) => {
      const after = query.cursor === undefined ? '' : decodeCursor(query.cursor, 'oldest')[2];
      const rows = table.filter(({ id }) => id > after).slice(0, query.limit + 1);
      return pageOfRows(rows, query.limit, ({ id }) => ['oldest', id, id]) as never;
    },
  ),
  route(
    { ...base, path: '/orders/:id', operationId: 'readOrder', summary: 'Read', response: Order, fields: true },
    ({ params }) => table.find(({ id }) => id === params.id) as never,
  ),
  route(
    {
      ...base,
      path: '/export',
      operationId: 'exportOrders',
      summary: 'Export',
      mediaType: 'text/csv',
      streamed: true,
    },
    async function* () {
      for (const row of table) yield `${JSON.stringify(row)}\n`;
    },
  ),
];

async function serve(t: Test, strictResponses: boolean) {
  const lines: string[] = [];
  const counted: [string, string][] = [];
  const app = createApp<null, object>({
    routes: routes as never,
    accessKinds: [],
    scope: () => null,
    services: () => ({}),
    log: pino({ level: 'error' }, { write: (text: string) => void lines.push(text) }),
    strictResponses,
    observeRefusals: (operation, refusals) => {
      for (const { outcome } of refusals) counted.push([operation, outcome]);
    },
  });
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(() => server.stop());
  return { caller: callerOf(server.url), lines, counted };
}

t.test('pages lead through a list from which rows are left out', async (t) => {
  const { caller, lines, counted } = await serve(t, false);
  for (const limit of [1, 2, 3, 9]) {
    const found: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 20; pages++) {
      const { status, body } = await caller.get(`/orders?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      t.equal(status, 200);
      t.notMatch(JSON.stringify(body), 'hidden');
      found.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    t.strictSame(found, good, `pages of ${limit}`);
  }
  t.strictSame(new Set(counted.map(String)), new Set(['listOrders,row_omitted', 'listOrders,null']));
  const logged = lines.map((text) => JSON.parse(text));
  t.match(logged.at(-1), {
    route: '/orders',
    operationId: 'listOrders',
    requestId: /./,
    count: 4,
    refused: exactly([
      { pointer: '/items/1/total/amount', outcome: 'row_omitted' },
      { pointer: '/items/4/total/amount', outcome: 'row_omitted' },
      { pointer: '/items/5/balance', outcome: 'null' },
      { pointer: '/items/7/total/amount', outcome: 'row_omitted' },
    ]),
  });
  t.notMatch(lines.join(''), 'hidden', 'no value is logged');
});

t.test('the read of a row that was left out fails, and others are repaired', async (t) => {
  const { caller, lines, counted } = await serve(t, false);
  const read = (index: number, query = '') => caller.get(`/orders/${table[index]?.id}${query}`);
  t.match(await read(1), { status: 500, body: { code: 'internal_error' } });
  t.strictSame(counted, [['readOrder', 'failed']]);
  t.match(JSON.parse(lines[0] as string), { route: '/orders/:id', refused: exactly([{ pointer: '/total/amount' }]) });
  const repairedRead = await read(5);
  t.match(repairedRead, { status: 200, body: { balance: null } });
  const again = { headers: { 'if-none-match': repairedRead.headers.get('etag') as string } };
  t.equal((await caller.get(`/orders/${table[5]?.id}`, again)).status, 304, 'with a tag of what was sent');
  t.match(await read(0), { status: 200, body: { total: euro(0) } });
});

t.test('selected fields are required of a row as all fields are', async (t) => {
  const { caller } = await serve(t, false);
  const ids = async (fields: string) =>
    (await caller.get(`/orders?limit=9&fields=${fields}`)).body.items.map(({ id }: { id: string }) => id);
  t.strictSame(await ids('id,total'), good);
  t.strictSame(
    await ids('id,state'),
    table.map(({ id }) => id),
    'what is not selected does not matter',
  );
  const path = `/orders/${table[1]?.id}`;
  t.equal((await caller.get(`${path}?fields=id,total`)).status, 500);
  t.strictSame((await caller.get(`${path}?fields=state`)).body, { state: 'open' });
});

t.test('an export has what its handler writes', async (t) => {
  const { caller, counted } = await serve(t, false);
  const { status, body } = await caller.get('/export');
  t.strictSame([status, String(body).trim().split('\n').length], [200, table.length]);
  t.strictSame(counted, []);
});

t.test('with strict responses everything that is refused fails', async (t) => {
  const { caller, lines, counted } = await serve(t, true);
  t.equal((await caller.get('/orders?limit=9')).status, 500);
  t.equal((await caller.get(`/orders/${table[5]?.id}`)).status, 500);
  t.equal((await caller.get(`/orders/${table[0]?.id}`)).status, 200);
  t.match(JSON.parse(lines[0] as string).err.message, 'the schema of the response refuses /items/1/total/amount');
  t.strictSame(counted, []);
});
