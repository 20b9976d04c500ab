/**
 * Orders a second of `POST /checkout` (two items in the cart, eight clients, carts prepared before) beside pgbench
 * running the same statements on the same PostgreSQL, in turn, several rounds. PostgreSQL is the embedded one,
 * durable and left to itself: the shop's tables are new, and the warm-up round is their first traffic.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase, startEmbeddedPostgres } from '@carton/runtime/service';
import { type Caller, callerOf } from '@carton/runtime/testing';
import type { Statement } from './checkout-box.ts';
import { load } from './load.ts';
import { cartIdPrefix, findPgbench, pgbenchScript, runPgbench } from './pgbench.ts';
import type { Measurement } from './run.ts';

const clients = 8;
const rounds = 5;
const ordersARound = 2000;
const body = JSON.stringify({ customer: { email: 'ada@example.com', name: 'Ada Lovelace', address: '1 Main Street' } });
const secrets = { operatorSecret: randomBytes(24).toString('hex'), hostingSecret: randomBytes(24).toString('hex') };

type Database = ReturnType<typeof openDatabase>;

/** The session of a cart prepared for the box. */
function sessionOf(number: number): { token: string; hash: string } {
  const token = createHash('sha256').update(`cart ${number}`).digest('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
}

async function makeShop(url: string): Promise<{ tenantId: string; variants: string[] }> {
  const operator = callerOf(url, { authorization: `Bearer ${secrets.operatorSecret}` });
  const expect = async (answer: ReturnType<Caller['get']>) => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`the shop could not be made: ${JSON.stringify(body)}`);
    return body;
  };
  const email = 'owner@bench.example';
  const password = secrets.hostingSecret;
  const tenant = await expect(operator.post('/admin/tenants', { slug: 'bench', name: 'Bench', staffEmail: email }));
  await expect(callerOf(url).post('/admin/invites/accept', { token: tenant.invite.token, name: 'Owner', password }));
  const { token } = await expect(callerOf(url).post('/admin/auth/login', { email, password }));
  const staff = callerOf(url, { authorization: `Bearer ${token}` });
  const variants: string[] = [];
  for (const handle of ['one', 'two']) {
    const product = await expect(
      staff.post('/admin/products', { title: handle, handle, status: 'published', variants: [{ sku: handle }] }),
    );
    const { id } = product.variants[0];
    await expect(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] }));
    const { items } = await expect(staff.get(`/admin/stock-items?variantId=${id}`));
    await expect(
      staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: 1_000_000, reason: 'received' }),
    );
    variants.push(id);
  }
  return { tenantId: tenant.id, variants };
}

/** Writes carts with both variants in them, from a number on. */
async function prepareCarts(
  database: Database,
  shop: { tenantId: string; variants: string[] },
  from: number,
  hashes: readonly string[],
) {
  const ids = hashes.map((_, index) => `${cartIdPrefix}${(from + index).toString(16).padStart(12, '0')}`);
  const db = database.forTenant(shop.tenantId);
  await db.query(
    `insert into carts (tenant_id, id, session_hash, currency)
     select $1, id, hash, 'EUR' from unnest($2::uuid[], $3::text[]) as prepared (id, hash)`,
    [ids, hashes],
  );
  await db.query(
    `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity)
     select $1, gen_random_uuid(), cart_id, variant_id, 1 from unnest($2::uuid[]) cart_id, unnest($3::uuid[]) variant_id`,
    [ids, shop.variants],
  );
}

async function checkOut(url: string, from: number, count: number): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { seconds, statuses } = await load({
    clients: Math.min(clients, count),
    requests: count,
    request: (number) => ({
      url: `${url}/checkout`,
      method: 'POST',
      headers: { ...headers, 'x-session-id': sessionOf(from + number).token },
      body,
    }),
  });
  if (statuses[201] !== count) throw new Error(`not every checkout answered 201: ${JSON.stringify(statuses)}`);
  return count / seconds;
}

/** The statements of one checkout. */
async function statementsOf(child: ChildProcess, url: string, cart: number): Promise<Statement[]> {
  child.send('keep');
  await once(child, 'message');
  await checkOut(url, cart, 1);
  child.send('kept');
  const [{ statements }] = await once(child, 'message');
  return statements;
}

export async function measure(): Promise<Measurement> {
  const pgbench = findPgbench();
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgresql') });
  const database = openDatabase({ url: postgres.url });
  let child: ChildProcess | undefined;
  try {
    const options = JSON.stringify({ databaseUrl: postgres.url, ...secrets });
    child = fork(fileURLToPath(new URL('./checkout-box.ts', import.meta.url)), [options], {
      execArgv: ['--conditions=workspace-source'],
    });
    const [{ url }] = await once(child, 'message');
    const shop = await makeShop(url);
    const count = ordersARound * (rounds + 1) + 10;
    const numbers = Array.from({ length: count }, (_, index) => index);
    await prepareCarts(
      database,
      shop,
      0,
      numbers.map((number) => sessionOf(number).hash),
    );
    // pgbench's clients take their carts from ranges of their own.
    for (let client = 0; client < clients; client++) {
      const base = 1_000_000 + client * 100_000;
      const own = numbers.slice(0, Math.ceil(count / clients));
      await prepareCarts(
        database,
        shop,
        base,
        own.map((number) => String(base + number).padStart(64, '0')),
      );
    }
    await checkOut(url, 0, 4);
    const [one, other] = [await statementsOf(child, url, 4), await statementsOf(child, url, 5)];
    const cart = { id: `${cartIdPrefix}${(4).toString(16).padStart(12, '0')}`, sessionHash: sessionOf(4).hash };
    const script = pgbenchScript(one, other, cart);
    console.log(`${one.length} statements a checkout`);

    const rates: { box: number[]; pgbench: number[] } = { box: [], pgbench: [] };
    for (let round = 0; round <= rounds; round++) {
      const box = await checkOut(url, 6 + round * ordersARound, ordersARound);
      const base = 1_000_000 + round * (ordersARound / clients);
      const peer = await runPgbench({
        pgbench,
        url: postgres.url,
        folder,
        script,
        clients,
        transactions: ordersARound,
        base,
      });
      console.log(
        `${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: box ${box.toFixed(0)} orders/s, pgbench ${peer.toFixed(0)} transactions/s`,
      );
      if (round === 0) continue;
      rates.box.push(box);
      rates.pgbench.push(peer);
    }
    const [box, peer] = [median(rates.box), median(rates.pgbench)];
    return {
      name: 'checkout',
      ratio: Math.round((box / peer) * 1000) / 1000,
      box: { what: 'POST /checkout, two items, 8 clients', value: Math.round(box), unit: 'orders/s' },
      peer: { what: 'pgbench, the same statements, 8 clients', value: Math.round(peer), unit: 'transactions/s' },
    };
  } finally {
    child?.kill();
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
