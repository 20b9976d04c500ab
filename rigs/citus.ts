/**
 * A box on a Citus cluster of this machine: checkouts of many shops beside plain PostgreSQL; a worker killed while
 * shoppers check out; a worker added, and shops moved to it while they sell. Then the books are held.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@carton/runtime/service';
import { freePort, administerAt as run } from '@carton/runtime/testing';
import { type Cluster, startCluster, whyNoCitus } from '../tools/citus/cluster.ts';
import { makeServer, type Server } from '../tools/citus/server.ts';
import { checkOut, prepareCarts, sessionOf, type TokenOf } from '../tools/load/checkouts.ts';
import { inTurn, type Measurement } from '../tools/load/measurement.ts';
import { type LoadTenant, openTenantAt } from '../tools/load/tenant.ts';
import { holdBooks } from './books.ts';
import { type RigBox, secrets, startRigBox } from './box.ts';
import { newTally, type Tally } from './client.ts';
import { type Findings, type Rig, Skipped, type Stage } from './rig.ts';
import { type Purchase, sendShoppers } from './shoppers.ts';
import { stock } from './trade.ts';

const rounds = 3;
/** The least share of plain PostgreSQL's rate, on the same cores. */
const leastRatio = 0.25;
const leastMoved = 0.1;

export const rig: Rig = {
  about: 'Measures a box on Citus beside plain PostgreSQL, kills a worker and adds one under checkouts.',
  options: {
    tenants: { about: 'tenants', usual: '64', short: '8' },
    orders: { about: 'orders of each round that is measured, 0 for none', usual: '800', short: '0' },
    shoppers: { about: 'shoppers at once', usual: '12', short: '6' },
    away: { about: 'seconds that the killed worker is away', usual: '5', short: '2' },
    shards: { about: 'parts that the shops are dealt out in', usual: '16', short: '8' },
  },
  longest: (stage) => (stage.short ? 400 : 1500),
  async run(stage) {
    const missing = whyNoCitus();
    if (missing) throw new Skipped(missing);
    stage.say('starting a coordinator and two workers');
    const cluster = await startCluster({
      folder: stage.folder,
      settings: { 'citus.shard_count': String(stage.number('shards')) },
    });
    stage.atEnd('the cluster', cluster.stop);
    const url = cluster.coordinator.url();
    const box = await startBox(stage, 'box', url);
    stage.say('opening shops');
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const measured = stage.number('orders') > 0 ? await measure(stage, box, url, tenants) : null;
    const killed = await killWorker(stage, cluster, box, tenants);
    const moved = await addWorker(stage, cluster, box, tenants);
    stage.say('holding the books');
    const bought = [...(measured?.purchases ?? []), ...killed.purchases, ...moved.purchases];
    const books = await holdBooks(url, tenants, bought, stock);
    const slow = measured && measured.ratio < leastRatio ? [`the rate is ${measured.ratio} of plain PostgreSQL's`] : [];
    return {
      broken: [...slow, ...killed.broken, ...moved.broken, ...books.broken],
      counts: {
        ...(measured && {
          ratio: measured.ratio,
          ordersASecond: measured.box.value,
          plainOrdersASecond: measured.peer.value,
        }),
        ...killed.counts,
        ...moved.counts,
        ...books.counts,
      },
    };
  },
};

async function startBox(stage: Stage, name: string, databaseUrl: string): Promise<RigBox> {
  return startRigBox(stage, { name, port: await freePort(), databaseUrl });
}

async function openTenants(url: string, count: number): Promise<LoadTenant[]> {
  const tenants: LoadTenant[] = [];
  const open = async (number: number) => {
    tenants[number] = await openTenantAt(url, { secrets, slug: `shop-${number + 1}`, products: 2, stock });
  };
  for (let number = 0; number < count; number += 4) {
    await Promise.all([0, 1, 2, 3].filter((more) => number + more < count).map((more) => open(number + more)));
  }
  return tenants;
}

/** Checkouts of all shops in turn, beside a plain PostgreSQL of the same version on the same machine. */
async function measure(
  stage: Stage,
  box: RigBox,
  url: string,
  tenants: LoadTenant[],
): Promise<Measurement & { purchases: Purchase[] }> {
  stage.say('starting a plain PostgreSQL and its box');
  const plain = await makeServer(stage.folder, 'plain', {});
  stage.atEnd('the plain PostgreSQL', () => plain.stop());
  await plain.start();
  const peer = await startBox(stage, 'plain-box', plain.url());
  const peerTenants = await openTenants(peer.url, tenants.length);
  const orders = stage.number('orders');
  const all = orders * (rounds + 1);
  const tokenOf = await prepare(openDatabase({ url, distributed: true }), tenants, all);
  const peerTokenOf = await prepare(openDatabase({ url: plain.url() }), peerTenants, all);
  const side = (what: string, at: RigBox, own: LoadTenant[], tokens: TokenOf) => ({
    what,
    unit: 'orders/s',
    measure: (round: number) =>
      checkOut(at.url, tokens, round * orders, orders, (number) => (own[number % own.length] as LoadTenant).reach),
  });
  const ends = [
    side('on Citus', box, tenants, tokenOf),
    side('on plain PostgreSQL', peer, peerTenants, peerTokenOf),
  ] as const;
  const measured = await inTurn('citus', rounds, ...ends, stage.say);
  await peer.stop();
  await plain.stop();
  return { ...measured, purchases: Array.from({ length: all }, (_, number) => purchaseOf(number, tenants)) };
}

/** The order that a prepared cart has become, for the books. */
function purchaseOf(number: number, tenants: readonly LoadTenant[]): Purchase {
  const tenant = tenants[number % tenants.length] as LoadTenant;
  const items = new Map(tenant.variants.map((variant) => [variant, 1]));
  return { tenant, sessionHash: sessionOf(number).hash, manner: 'without a key', items, placed: [], end: 'gone' };
}

async function prepare(
  database: ReturnType<typeof openDatabase>,
  tenants: readonly LoadTenant[],
  count: number,
): Promise<TokenOf> {
  const tokens: TokenOf[] = [];
  for (const [index, tenant] of tenants.entries()) {
    const numbers = Array.from({ length: count }, (_, number) => number).filter((n) => n % tenants.length === index);
    tokens.push(await prepareCarts(database, tenant, numbers));
  }
  await database.close();
  return (number) => (tokens[number % tenants.length] as TokenOf)(number);
}

interface Trial extends Findings {
  purchases: readonly Purchase[];
}

/** One worker is gone for a while: its shops are told to come again, the others sell on, and all sell afterwards. */
async function killWorker(
  stage: Stage,
  { coordinator, workers }: Cluster,
  box: RigBox,
  tenants: LoadTenant[],
): Promise<Trial> {
  const worker = workers[0] as Server;
  const there = await tenantsOn(coordinator, worker, tenants);
  const tally = newTally();
  const trade = (own: LoadTenant[]) =>
    sendShoppers({ urls: [box.url], tenants: own, shoppers: stage.number('shoppers') / 2, tally, thinking: 40 });
  const [hit, spared] = [trade(there), trade(tenants.filter((tenant) => !there.includes(tenant)))];
  await sleep(1500);
  const before = placed(spared.purchases);
  await worker.stop('SIGKILL');
  stage.say(`${worker.name} is killed; it holds ${there.length} of ${tenants.length} shops`);
  await sleep(stage.number('away') * 1000);
  const during = placed(spared.purchases) - before;
  await worker.start();
  const back = performance.now();
  const atReturn = placed(hit.purchases);
  while (placed(hit.purchases) === atReturn) {
    stage.signal.throwIfAborted();
    await sleep(20);
  }
  const recovered = performance.now() - back;
  stage.say(
    `${worker.name} is back; the others took ${during} orders meanwhile, its first came after ${recovered.toFixed(0)} ms`,
  );
  await sleep(1500);
  await Promise.all([hit.stop(), spared.stop()]);
  const refused = tally.statuses.get(503) ?? 0;
  const broken = [...tally.broken];
  if (during === 0) broken.push('no other shop took an order while a worker was away');
  if (refused === 0) broken.push('no request was answered with 503 while a worker was away');
  return {
    broken,
    purchases: [...hit.purchases, ...spared.purchases],
    counts: {
      ordersOfOthersWhileAway: during,
      answeredUnavailable: refused,
      longestRequestWhileAwayMs: Math.round(tally.longest),
      firstOrderAfterReturnMs: Math.round(recovered),
    },
  };
}

/** One more worker, and Citus told to spread the shops over all, while all of them sell. */
async function addWorker(stage: Stage, cluster: Cluster, box: RigBox, tenants: LoadTenant[]): Promise<Trial> {
  const tally = newTally();
  const trade = sendShoppers({ urls: [box.url], tenants, shoppers: stage.number('shoppers'), tally, thinking: 40 });
  const worker = await cluster.addWorker();
  const url = cluster.coordinator.url();
  stage.say(`${worker.name} is added`);
  const begun = performance.now();
  // By logical replication: rows are written meanwhile, but for the moment of the change.
  await run(url, `select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
  const before = placed(trade.purchases);
  await untilRebalanced(stage, url, tally, () => placed(trade.purchases) - before);
  const seconds = (performance.now() - begun) / 1000;
  const during = placed(trade.purchases) - before;
  const there = await tenantsOn(cluster.coordinator, worker, tenants);
  const share = await shareOfRows(url, worker);
  stage.say(
    `${there.length} shops and ${(share * 100).toFixed(0)} % of the rows have moved in ${seconds.toFixed(1)} s`,
  );
  await sleep(1500);
  await trade.stop();
  const broken = [...tally.broken];
  if (share < leastMoved) broken.push(`only ${(share * 100).toFixed(1)} % of the rows have moved`);
  if (during === 0) broken.push('no order was taken while shops moved');
  return {
    broken,
    purchases: trade.purchases,
    counts: {
      tenantsMoved: there.length,
      shareOfRowsMoved: Math.round(share * 1000) / 1000,
      moveSeconds: Math.round(seconds),
      ordersWhileMoving: during,
      longestRequestWhileMovingMs: Math.round(tally.longest),
      answeredUnavailableWhileMoving: tally.statuses.get(503) ?? 0,
    },
  };
}

async function untilRebalanced(stage: Stage, url: string, tally: Tally, orders: () => number): Promise<void> {
  for (let look = 1; ; look++) {
    stage.signal.throwIfAborted();
    const [job] = await run(url, 'select state::text from pg_dist_background_job order by job_id desc limit 1');
    if (job?.state === 'finished') return;
    if (job && /failed|cancelled/.test(String(job.state))) throw new Error(`the rebalancing is ${job.state}`);
    if (look % 10 === 0)
      stage.say(`moving; ${orders()} orders meanwhile, the longest request took ${tally.longest.toFixed(0)} ms`);
    await sleep(500);
  }
}

const placed = (purchases: readonly Purchase[]) => purchases.filter(({ placed }) => placed.length > 0).length;

async function tenantsOn(coordinator: Server, { port }: Server, tenants: readonly LoadTenant[]): Promise<LoadTenant[]> {
  const rows = await run(
    coordinator.url(),
    `select tenants.id from tenants join pg_dist_placement
         on shardid = get_shard_id_for_distribution_column('stores'::regclass, tenants.id)
       join pg_dist_node using (groupid) where nodeport = ${port}`,
  );
  const ids = rows.map(({ id }) => id);
  return tenants.filter(({ tenantId }) => ids.includes(tenantId));
}

/** Of the rows of the tables that grow with trade, those on a worker. */
async function shareOfRows(url: string, { port }: Server): Promise<number> {
  const [row] = await run(
    url,
    `select coalesce(sum(result::bigint) filter (where nodeport = ${port}), 0)::float8 / sum(result::bigint)::float8 as share
       from pg_dist_partition
       cross join lateral run_command_on_placements(logicalrelid, 'select count(*) from %s')
      where logicalrelid::text in ('carts', 'orders', 'order_line_items', 'stock_movements', 'event_outbox')`,
  );
  return Number(row?.share);
}
