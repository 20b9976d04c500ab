/**
 * Customers who claim and prove the same and overlapping domains at the same time, and replicas that check them.
 */
import { raceRounds } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { checkAndStore, checkDueDomains } from '../boxes/proof/schedule.ts';
import { type DnsResponse, startResponder } from '../boxes/testing/dns-responder.ts';
import { nameservers, startTestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = {};
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameserverLookup: responder.address });
const { db } = controlPlane;
const keys = await Promise.all(Array.from({ length: 20 }, async () => (await controlPlane.mint()).key));
const quiet = { info() {}, warn() {} };

const deploy = (key: string, domains: string[]) =>
  controlPlane.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://box.example.com', domains });
const verify = (key: string) =>
  controlPlane
    .visitor()
    .post('/boxes/domains/verify', { name: 'shop' }, { headers: { authorization: `Bearer ${key}` } });
const statusOf = (key: string) =>
  controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers: { authorization: `Bearer ${key}` } });
/** Publishes the records of all claims below a name. */
async function publish(base: string): Promise<void> {
  const claims = await db('box_domains').whereLike('domain', `%${base}`).select('domain', 'proof');
  const published: Record<string, string[]> = {};
  for (const { domain, proof } of claims) {
    const name = `_carton.${domain.replace('*.', '')}`;
    published[name] = [...(published[name] ?? []), proof];
  }
  // One response over UDP holds few records, so each query is answered with the next ones.
  for (const [name, txt] of Object.entries(published)) responses[name] = { txt };
}
const provedBelow = (base: string) =>
  db('box_domains').whereLike('domain', `%${base}`).where({ state: 'proved' }).pluck('domain');

t.test('of twenty customers who prove the same or an overlapping domain, one gets it', async (t) => {
  for (let round = 0; round < raceRounds; round += 1) {
    const base = `r${round}.shop`;
    const names = [base, `*.${base}`, `www.${base}`, `a.www.${base}`];
    await Promise.all(keys.map((key, index) => deploy(key, [names[index % 4] as string])));
    await publish(base);
    await Promise.all([...keys.map(verify), checkDueDomains(db, controlPlane.options, quiet)]);
    t.equal((await provedBelow(base)).length, 1, base);
    await Promise.all(keys.map((key) => deploy(key, [])));
  }
});

/** One who has set no record, and whose claims the delegation of the owner would prove; and the owner, who sets records. */
let raced = 0;

/** The steps of both about a domain of its own, which is delegated to the nameservers of the vendor. */
async function raceFor() {
  raced += 1;
  // Their own keys: a key may make few requests a minute.
  const [delegated, owner] = (await Promise.all(
    [controlPlane.mint(), controlPlane.mint()].map(async (minted) => (await minted).key),
  )) as [string, string];
  const base = `race${raced}.shop`;
  const names = [base, `www.${base}`];
  for (const name of names) responses[name] = nameservers;
  const ownRecords = async () => {
    const { domains } = (await statusOf(owner)).body;
    for (const { domain, record } of domains ?? []) responses[`_carton.${domain}`] = { txt: [record.value] };
  };
  const ofDelegated = [() => deploy(delegated, names), () => verify(delegated)];
  const ofOwner = [() => deploy(owner, names), ownRecords, () => verify(owner)];
  const end = async (t: Test, order: string) => {
    await verify(owner);
    const { domains } = (await statusOf(owner)).body;
    t.strictSame(
      domains.map(({ domain, state, provedBy }: Record<string, string>) => [domain, state, provedBy]),
      names.map((name) => [name, 'proved', 'record']),
      order,
    );
    await verify(delegated);
    const taken = db('box_domains').whereIn('domain', names).whereIn('state', ['proved', 'failing', 'resting']);
    t.equal((await taken.clone().where({ provedBy: 'record' })).length, 2, order);
    t.equal((await taken).length, 2, order);
    await Promise.all([deploy(owner, []), deploy(delegated, [])]);
  };
  return { ofDelegated, ofOwner, end };
}

/** All orders in which two lists of steps may be taken. */
function mergesOf(one: readonly string[], other: readonly string[]): string[][] {
  if (one.length === 0 || other.length === 0) return [[...one, ...other]];
  const first = mergesOf(one.slice(1), other).map((rest) => [one[0] as string, ...rest]);
  return [...first, ...mergesOf(one, other.slice(1)).map((rest) => [other[0] as string, ...rest])];
}

t.test('who proves a domain by a record has it, whenever another one claims it by its delegation', async (t) => {
  for (const order of mergesOf(['d', 'd', 'd'], ['o', 'o', 'o'])) {
    const { ofDelegated, ofOwner, end } = await raceFor();
    const steps = { d: [...ofDelegated, ...ofDelegated.slice(1)], o: [...ofOwner] };
    for (const who of order) await steps[who as 'd' | 'o'].shift()?.();
    await end(t, order.join(''));
  }
});

t.test('nor does it matter when both do so at the same time', async (t) => {
  for (let round = 0; round < raceRounds; round += 1) {
    const { ofDelegated, ofOwner, end } = await raceFor();
    const inTurn = async (steps: (() => Promise<unknown>)[]) => {
      for (const step of steps) await step();
    };
    await Promise.all([
      inTurn([...ofDelegated, ...ofDelegated]),
      inTurn(ofOwner),
      checkDueDomains(db, controlPlane.options, quiet),
    ]);
    await end(t, `round ${round}`);
  }
});

t.test('deployments while domains are proved leave one owner', async (t) => {
  const base = 'mixed.shop';
  await Promise.all(keys.map((key) => deploy(key, [base])));
  await publish(base);
  await Promise.all(keys.flatMap((key, index) => [verify(key), deploy(key, index % 2 ? [base] : [])]));
  await Promise.all(keys.map(verify));
  const taken = await db('box_domains').where({ domain: base }).whereIn('state', ['proved', 'resting']);
  t.equal(taken.length, 1);
});

t.test('the index rejects a second owner without the lock', async (t) => {
  const rows = await db('box_domains').where({ domain: 'mixed.shop' }).select('customerId', 'boxId');
  const [{ id: boxId, customerId }] = await db('boxes').whereNot({ customerId: rows[0].customerId }).limit(1);
  const row = { domain: 'index.shop', position: 0, state: 'proved', provedBy: 'record' };
  await db('box_domains').insert({ ...row, ...rows[0] });
  await t.rejects(db('box_domains').insert({ ...row, boxId, customerId }), /box_domains_one_owner/);
});

t.test('replicas share the domains that are due', async (t) => {
  const domains = Array.from({ length: 60 }, (_, index) => `d${index}.due.com`);
  await db('box_domains').delete();
  await deploy(keys[0] as string, domains);
  const checked = await Promise.all(Array.from({ length: 4 }, () => checkDueDomains(db, controlPlane.options, quiet)));
  t.equal(
    checked.reduce((sum, count) => sum + count, 0),
    60,
  );
  t.equal(await checkDueDomains(db, controlPlane.options, quiet), 0, 'none is due again');
  const times = await db('box_domains').whereLike('domain', '%.due.com').select('nextCheckAt');
  t.ok(new Set(times.map(({ nextCheckAt }) => nextCheckAt)).size > 10, 'the next checks are spread');
});

t.test('a domain that another replica holds is left to it', async (t) => {
  await db('box_domains').delete();
  await deploy(keys[0] as string, ['held.due.com', 'free.due.com']);
  await db.transaction(async (holder) => {
    await holder('box_domains').where({ domain: 'held.due.com' }).forUpdate().first();
    t.equal(await checkDueDomains(db, controlPlane.options, quiet), 1, 'without a wait for the holder');
  });
  t.equal(await checkDueDomains(db, controlPlane.options, quiet), 1);
});

t.test('a claim that ends while its domain is checked proves nothing', async (t) => {
  await deploy(keys[0] as string, ['late.shop']);
  await publish('late.shop');
  const claim = () => db('box_domains').where({ domain: 'late.shop' });
  const checked = await claim();
  await claim().update({ claimEndsAt: new Date(0) });
  await checkAndStore(db, checked, controlPlane.options, quiet);
  t.strictSame(await provedBelow('late.shop'), []);
  await claim().update({ claimEndsAt: checked[0].claimEndsAt });
  await checkAndStore(db, checked, controlPlane.options, quiet);
  t.strictSame(await provedBelow('late.shop'), ['late.shop'], 'the same check of a claim that has not ended');
});
