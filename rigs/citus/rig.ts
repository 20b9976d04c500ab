/**
 * A box on a Citus cluster on this machine. Measures checkouts of many tenants, and the same on plain PostgreSQL; kills a
 * worker during checkouts; adds a worker and moves tenants to it during checkouts; then checks consistency.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@carton/runtime/service';
import { freePort, administerAt as run } from '@carton/runtime/testing';
import { type Cluster, missingCitus, startCluster } from '../../tools/citus/cluster.ts';
import { initServer, type Server } from '../../tools/citus/server.ts';
import { checkOut, prepareCarts, sessionOf, type TokenOf } from '../../tools/load/checkouts.ts';
import { type Measurement, measureAlternately } from '../../tools/load/measurement.ts';
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { type RigBox, secrets, startRigBox } from '../support/box.ts';
import { newTally, type Tally } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { type Findings, type Rig, type Stage, skipWithout } from '../support/rig.ts';
import { type Purchase, sendShoppers } from '../support/shoppers.ts';
import { stock } from '../support/tenants.ts';

const rounds = 3;
/** Minimum ratio to the rate of plain PostgreSQL, on the same cores. */
const minimumRatio = 0.25;
const minimumShareMoved = 0.1;

export const rig: Rig = {
  about: 'Compares a box on Citus with one on plain PostgreSQL; kills a worker and adds one during checkouts.',
  options: {
    tenants: { about: 'tenants', defaultValue: '64', short: '8' },
    orders: { about: 'orders per measured round, 0 for none', defaultValue: '800', short: '0' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '12', short: '6' },
    away: { about: 'seconds that the killed worker is down', defaultValue: '5', short: '2' },
    shards: { about: 'number of shards', defaultValue: '16', short: '8' },
  },
  timeLimit: (stage) => (stage.short ? 400 : 1500),
  async run(stage) {
    skipWithout(missingCitus());
    stage.say('starting a coordinator and two workers');
    const cluster = await startCluster({
      folder: stage.folder,
      settings: { 'citus.shard_count': String(stage.number('shards')) },
    });
    stage.atEnd('the cluster', cluster.stop);
    const url = cluster.coordinator.url();
    const box = await startBox(stage, 'box', url);
    stage.say('creating tenants');
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const measured = stage.number('orders') > 0 ? await measure(stage, box, url, tenants) : null;
    const killed = await killWorker(stage, cluster, box, tenants);
    const moved = await addWorker(stage, cluster, box, tenants);
    stage.say('checking consistency');
    const bought = [...(measured?.purchases ?? []), ...killed.purchases, ...moved.purchases];
    const records = await checkConsistency(url, tenants, bought, stock);
    const slow =
      measured && measured.ratio < minimumRatio ? [`the rate is ${measured.ratio} of plain PostgreSQL's`] : [];
    return {
      broken: [...slow, ...killed.broken, ...moved.broken, ...records.broken],
      counts: {
        ...(measured && {
          ratio: measured.ratio,
          ordersASecond: measured.box.value,
          plainOrdersASecond: measured.peer.value,
        }),
        ...killed.counts,
        ...moved.counts,
        ...records.counts,
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

/** Compares checkouts of all tenants with a plain PostgreSQL of the same version on the same machine. */
async function measure(
  stage: Stage,
  box: RigBox,
  url: string,
  tenants: LoadTenant[],
): Promise<Measurement & { purchases: Purchase[] }> {
  stage.say('starting a plain PostgreSQL and its box');
  const plain = await initServer(stage.folder, 'plain', {});
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
      checkOut(
        at.url,
        tokens,
        round * orders,
        orders,
        (number) => (own[number % own.length] as LoadTenant).tenantHeaders,
      ),
  });
  const ends = [
    side('on Citus', box, tenants, tokenOf),
    side('on plain PostgreSQL', peer, peerTenants, peerTokenOf),
  ] as const;
  const measured = await measureAlternately('citus', rounds, ...ends, stage.say);
  await peer.stop();
  await plain.stop();
  return { ...measured, purchases: Array.from({ length: all }, (_, number) => purchaseOf(number, tenants)) };
}

/** The purchase of a prepared cart, for the consistency check. */
function purchaseOf(number: number, tenants: readonly LoadTenant[]): Purchase {
  const tenant = tenants[number % tenants.length] as LoadTenant;
  const items = new Map(tenant.variants.map((variant) => [variant, 1]));
  return {
    tenant,
    sessionHash: sessionOf(number).hash,
    behaviour: 'without a key',
    items,
    placed: [],
    end: 'already ordered',
  };
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

interface PhaseFindings extends Findings {
  purchases: readonly Purchase[];
}

/** Stops one worker for a while: requests of its tenants get 503, other tenants are not affected, and it recovers. */
async function killWorker(
  stage: Stage,
  { coordinator, workers }: Cluster,
  box: RigBox,
  tenants: LoadTenant[],
): Promise<PhaseFindings> {
  const worker = workers[0] as Server;
  const affected = await tenantsOn(coordinator, worker, tenants);
  const tally = newTally();
  const startShoppers = (own: LoadTenant[]) =>
    sendShoppers({ urls: [box.url], tenants: own, shoppers: stage.number('shoppers') / 2, tally, thinkTime: 40 });
  const [hit, spared] = [
    startShoppers(affected),
    startShoppers(tenants.filter((tenant) => !affected.includes(tenant))),
  ];
  await sleep(1500);
  const before = placed(spared.purchases);
  await worker.stop('SIGKILL');
  stage.say(`${worker.name} is killed; it holds ${affected.length} of ${tenants.length} tenants`);
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
    `${worker.name} is up; other tenants got ${during} orders meanwhile, its own the first after ${recovered.toFixed(0)} ms`,
  );
  await sleep(1500);
  await Promise.all([hit.stop(), spared.stop()]);
  const unavailable = tally.statuses.get(503) ?? 0;
  const broken = [...tally.broken];
  if (during === 0) broken.push('no other tenant got an order while a worker was down');
  if (unavailable === 0) broken.push('no request got 503 while a worker was down');
  return {
    broken,
    purchases: [...hit.purchases, ...spared.purchases],
    counts: {
      ordersOfOthersWhileAway: during,
      answeredUnavailable: unavailable,
      longestRequestWhileAwayMs: Math.round(tally.longest),
      firstOrderAfterReturnMs: Math.round(recovered),
    },
  };
}

/** Adds a worker and rebalances the cluster during checkouts of all tenants. */
async function addWorker(stage: Stage, cluster: Cluster, box: RigBox, tenants: LoadTenant[]): Promise<PhaseFindings> {
  const tally = newTally();
  const shoppers = sendShoppers({ urls: [box.url], tenants, shoppers: stage.number('shoppers'), tally, thinkTime: 40 });
  const worker = await cluster.addWorker();
  const url = cluster.coordinator.url();
  stage.say(`${worker.name} is added`);
  const started = performance.now();
  // By logical replication, which blocks writes only while a shard switches over.
  await run(url, `select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
  const before = placed(shoppers.purchases);
  await untilRebalanced(stage, url, tally, () => placed(shoppers.purchases) - before);
  const seconds = (performance.now() - started) / 1000;
  const during = placed(shoppers.purchases) - before;
  const there = await tenantsOn(cluster.coordinator, worker, tenants);
  const share = await shareOfRows(url, worker);
  stage.say(`${there.length} tenants and ${(share * 100).toFixed(0)} % of the rows moved in ${seconds.toFixed(1)} s`);
  await sleep(1500);
  await shoppers.stop();
  const broken = [...tally.broken];
  if (share < minimumShareMoved) broken.push(`only ${(share * 100).toFixed(1)} % of the rows moved`);
  if (during === 0) broken.push('no order was placed while tenants moved');
  return {
    broken,
    purchases: shoppers.purchases,
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
  for (let poll = 1; ; poll++) {
    stage.signal.throwIfAborted();
    const [job] = await run(url, 'select state::text from pg_dist_background_job order by job_id desc limit 1');
    if (job?.state === 'finished') return;
    if (job && /failed|cancelled/.test(String(job.state))) throw new Error(`the rebalancing is ${job.state}`);
    if (poll % 10 === 0)
      stage.say(`rebalancing; ${orders()} orders so far, the longest request took ${tally.longest.toFixed(0)} ms`);
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

/** Share of the rows on a worker, in the tables that grow with orders. */
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
