/**
 * The control plane and the registries are killed under load: what they have acknowledged is there afterwards.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@carton/runtime/service';
import { type Answer, type Caller, callerOf } from '@carton/runtime/testing';
import { rollUpReports } from '../../control-plane/telemetry/roll-up.ts';
import { withReader } from '../support/postgres.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { type Customer, openCustomer, type Vendor } from '../support/vendor.ts';
import { countAllowed, untilDelivered } from './outage.ts';
import { closureOf, pull } from './pulls.ts';

/** What the services have acknowledged. */
interface Books {
  minted: { id: string; customerId: string }[];
  /** Reports by the customer that each has for itself. */
  reported: string[];
  /** Domains that were deployed and then removed, and those that were not. */
  removed: string[];
  kept: string[];
  /** The last acknowledged state of each licence; a licence with a request whose answer was lost is not in it. */
  states: Map<string, string>;
  /** Whole tarballs, and requests for some. */
  served: number;
  asked: number;
}

const noAnswer = { status: 0, headers: new Headers(), body: null };

export async function killUnderLoad(stage: Stage, vendor: Vendor, { kills }: { kills: number }): Promise<Findings> {
  const books: Books = { minted: [], reported: [], removed: [], kept: [], states: new Map(), served: 0, asked: 0 };
  const broken = new Set<string>();
  const customer = await openCustomer(vendor, 'kills');
  let isOver = false;
  const repeat = async (work: () => Promise<void>) => {
    while (!isOver) {
      await work();
      await sleep(5);
    }
  };
  /** Sends a request whose answer may be lost. */
  const send = async (caller: Caller, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const answer = await caller.call(method, path, { body, headers }).catch(() => noAnswer);
    if (answer.status >= 500 && answer.status !== 503) broken.add(`${method} ${path} returned ${answer.status}`);
    return answer;
  };
  const workers = [
    ...Array.from({ length: 3 }, () => repeat(() => mint(send, vendor, books))),
    repeat(() => report(send, vendor, books)),
    repeat(() => reportTogether(send, vendor, books)),
    repeat(() => changeStates(send, vendor, books)),
    repeat(() => deployAndRemove(send, vendor, books, customer)),
    ...(await pullers(vendor, books, customer)).map(repeat),
  ];
  const work = Promise.all(workers);
  work.catch(() => {});
  const services = [vendor.controlPlane, ...vendor.registries];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + Math.random() * 1200, undefined, { signal: stage.signal });
    const killed = kill % 4 === 3 ? services : [services[kill % 3] as (typeof services)[number]];
    stage.say(`killing ${killed.map(({ name }) => name).join(', ')} (${kill + 1} of ${kills})`);
    await Promise.all(killed.map((service) => service.kill()));
    for (const service of killed) await service.start();
  }
  await sleep(500);
  isOver = true;
  await work;
  await untilDelivered(stage, vendor.registries);
  const lost = await compare(vendor, books);
  const { minted, reported, removed, kept, served } = books;
  return {
    broken: [...broken, ...lost],
    counts: {
      kills,
      keysMinted: minted.length,
      reportsAcknowledged: reported.length,
      statesChanged: books.states.size,
      domainsRemoved: removed.length,
      domainsKept: kept.length,
      tarballsServed: served,
    },
  };
}

type SendTo = (caller: Caller, method: string, path: string, body?: unknown, headers?: object) => Promise<Answer>;

async function mint(send: SendTo, { admin }: Vendor, { minted }: Books): Promise<void> {
  const customerId = `minted-${randomUUID()}`;
  const { status, body } = await send(admin, 'POST', '/license/keys', { customerId, tier: 'basic' });
  if (status === 201) minted.push({ id: body.id, customerId });
}

/** Reports a download as often as it takes, always with the same key. */
async function report(send: SendTo, { reporter }: Vendor, { reported }: Books): Promise<void> {
  const customerId = `reported-${randomUUID()}`;
  const body = { customerId, tier: 'basic', packageName: '@carton/core', version: '1.0.0', outcome: 'allowed' };
  for (let attempt = 0; attempt < 200; attempt++) {
    const { status } = await send(reporter, 'POST', '/telemetry/download', body, { 'idempotency-key': customerId });
    if (status === 202) {
      reported.push(customerId);
      return;
    }
    await sleep(50);
  }
}

/** Reports downloads of several customers together as often as it takes, always with the same keys. */
async function reportTogether(send: SendTo, { reporter }: Vendor, { reported }: Books): Promise<void> {
  const customers = Array.from({ length: 20 }, () => `reported-${randomUUID()}`);
  const reports = customers.map((customerId) => ({
    idempotencyKey: customerId,
    downloadedAt: new Date().toISOString(),
    report: { customerId, tier: 'basic', packageName: '@carton/core', version: '1.0.0', outcome: 'allowed' },
  }));
  for (let attempt = 0; attempt < 200; attempt++) {
    const { status, body } = await send(reporter, 'POST', '/telemetry/downloads/batch', { reports });
    if (status === 202) {
      reported.push(...customers.filter((_, at) => body.outcomes[at].outcome !== 'rejected'));
      return;
    }
    await sleep(50);
  }
}

/** Suspends or reinstates a licence that only this worker changes. */
async function changeStates(send: SendTo, { admin }: Vendor, { minted, states }: Books): Promise<void> {
  const licence = minted[Math.floor(Math.random() * minted.length)];
  if (!licence) return;
  const action = Math.random() < 0.5 ? 'suspend' : 'reinstate';
  const { status, body } = await send(admin, 'POST', `/license/keys/${licence.id}/${action}`);
  if (status === 200) states.set(licence.id, body.status);
  else states.delete(licence.id);
}

async function deployAndRemove(
  send: SendTo,
  { admin, controlPlane }: Vendor,
  { removed, kept }: Books,
  { key }: Customer,
): Promise<void> {
  const domain = `d${randomUUID()}.example.com`;
  // Each deployment has a box of its own: a deployment replaces the domains of its box.
  const deployment = { key, name: `box-${randomUUID()}`, backendUrl: 'https://192.0.2.1', domains: [domain] };
  const visitor = callerOf(controlPlane.url);
  const deployed = await send(visitor, 'POST', '/boxes/deploy', deployment);
  if (deployed.status !== 200) return;
  if (Math.random() < 0.5) {
    kept.push(domain);
    return;
  }
  const { status } = await send(admin, 'DELETE', `/boxes/domains/${domain}`);
  if (status === 204) removed.push(domain);
}

/** Two customers' clients on each registry. */
async function pullers({ registries }: Vendor, books: Books, customer: Customer) {
  const paths = await closureOf(registries[0], customer);
  return [...registries, ...registries].map((registry) => async () => {
    const { tarball } = paths[Math.floor(Math.random() * paths.length)] as { tarball: string };
    books.asked += 1;
    const answer = await pull(registry, tarball, customer.token).catch(() => null);
    if (answer?.status === 200 && answer.isWhole) books.served += 1;
  });
}

/** Returns what was acknowledged and is not stored. */
async function compare(vendor: Vendor, books: Books): Promise<string[]> {
  const lost: string[] = [];
  await withReader(vendor.databaseUrl, async (read) => {
    const licences = await read<{ id: string; customerId: string; status: string }>(
      'select id, customer_id as "customerId", status from license_keys',
    );
    const byId = new Map(licences.map((licence) => [licence.id, licence]));
    for (const { id, customerId } of books.minted) {
      if (byId.get(id)?.customerId !== customerId) lost.push(`the licence ${id} is lost`);
    }
    for (const [id, status] of books.states) {
      if (byId.get(id)?.status !== status) lost.push(`the licence ${id} is ${byId.get(id)?.status}, not ${status}`);
    }
    const domains = new Set(
      (await read<{ domain: string }>('select domain from box_domains')).map(({ domain }) => domain),
    );
    for (const domain of books.kept) if (!domains.has(domain)) lost.push(`the domain ${domain} is lost`);
    for (const domain of books.removed) if (domains.has(domain)) lost.push(`the removed domain ${domain} is there`);
  });
  const reports = await countAllowed(vendor, 'reported-%');
  for (const customerId of books.reported) {
    const count = reports.get(customerId) ?? 0;
    if (count !== 1) lost.push(`the report of ${customerId} is stored ${count} times`);
  }
  lost.push(...(await compareCounts(vendor)));
  // A download that was cut off may count as served: the registry cannot know what has arrived.
  const counted = (await countAllowed(vendor, 'kills')).get('kills') ?? 0;
  if (counted < books.served) lost.push(`${books.served} tarballs were served, and ${counted} are stored`);
  if (counted > books.asked) lost.push(`${books.asked} tarballs were requested, and ${counted} are stored`);
  return lost.slice(0, 20);
}

/** Counts the reports twice at once, as replicas do, while the control plane may too. Returns what differs from them. */
async function compareCounts({ databaseUrl }: Vendor): Promise<string[]> {
  const replicas = [0, 1].map(() => connect({ url: databaseUrl, poolSize: 1 }));
  const left = 'select from download_reports where rolled_up_at is null';
  const compared = await withReader(databaseUrl, async (read) => {
    do await Promise.all(replicas.map((db) => rollUpReports(db, 500)));
    while ((await read<{ any: boolean }>(`select exists (${left}) as any`))[0]?.any);
    return read<{ reports: number; counted: number }>(
      `select (select count(*) from download_reports)::integer as reports,
              (select coalesce(sum(count), 0) from download_rollups)::integer as counted`,
    );
  }).finally(() => Promise.all(replicas.map((db) => db.destroy())));
  return compared.flatMap(({ reports, counted }) =>
    reports === counted ? [] : `${reports} reports are stored, and ${counted} are counted by day`,
  );
}
