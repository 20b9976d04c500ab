/**
 * The domains that are served, in the memory of each replica.
 */
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { findBackend } from '../boxes/store.ts';
import { startControlPlane } from '../index.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, options } = controlPlane;
const replica = await startControlPlane(options);
t.teardown(() => replica.stop());
const { key, customerId } = await controlPlane.mint();

const deploy = async (domains: string[], backendUrl = 'https://box.example.com', name = 'shop') => {
  const { status, body } = await controlPlane.visitor().post('/boxes/deploy', { key, name, backendUrl, domains });
  if (status !== 200) throw new Error(JSON.stringify(body));
};

/** The backends of a host at both replicas, or the status. */
async function resolve(host: string): Promise<(string | number)[]> {
  await replica.served.catchUp();
  const answers = [controlPlane.url, replica.url].map(async (url) => {
    const response = await fetch(`${url}/boxes/resolve?host=${host}`);
    const body = (await response.json()) as { backendUrl?: string };
    return body.backendUrl ?? response.status;
  });
  return Promise.all(answers);
}

/** Ends the connections of both replicas for notifications. */
const cutOff = () =>
  db.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'control-plane notifications' and datname = current_database()`,
  );

/** Fails unless it becomes true in ten seconds. */
async function until(what: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await what()) return;
    await setTimeout(50);
  }
  throw new Error('it did not become true');
}

/** Whether a host is found while nobody can read the table. */
async function isInMemory(host: string): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await transaction.raw('lock table box_domains in access exclusive mode');
    const signal = AbortSignal.timeout(500);
    const found = [controlPlane.url, replica.url].map((url) => fetch(`${url}/boxes/resolve?host=${host}`, { signal }));
    return (await Promise.allSettled(found)).every((each) => each.status === 'fulfilled' && each.value.status === 200);
  });
}

t.test('each replica serves what is deployed at another one, from memory', async (t) => {
  const [first, second] = ['https://box.example.com', 'https://moved.example.com'];
  await deploy(['one.example', '*.one.example']);
  t.strictSame(await resolve('one.example'), [first, first]);
  t.strictSame(await resolve('a.one.example'), [first, first]);
  t.equal(await isInMemory('a.one.example'), true);
  await deploy(['one.example', '*.one.example'], second);
  t.strictSame(await resolve('one.example'), [second, second], 'the backend has moved');
  await deploy(['*.one.example'], second);
  t.strictSame(await resolve('one.example'), [404, 404], 'removed');
  t.strictSame(await resolve('a.one.example'), [second, second]);
  t.equal((await controlPlane.admin.delete('/boxes/domains/*.one.example')).status, 204);
  t.strictSame(await resolve('a.one.example'), [404, 404], 'released');
});

t.test('what changes while no notification arrives is served, before and after the next connection', async (t) => {
  const url = 'https://box.example.com';
  await deploy(['lost.example', 'kept.example']);
  t.strictSame(await resolve('lost.example'), [url, url]);
  await cutOff();
  await deploy(['kept.example', 'new.example']);
  t.strictSame(await resolve('lost.example'), [404, 404]);
  t.strictSame(await resolve('new.example'), [url, url]);
  await until(() => isInMemory('new.example'));
  t.strictSame(await resolve('lost.example'), [404, 404]);
  t.strictSame(await resolve('kept.example'), [url, url]);
});

t.test('memory and the database find the same, whatever changes and whenever connections are lost', async (t) => {
  await deploy([], 'https://box-0.example.com', 'box-0');
  await deploy([], 'https://box-1.example.com', 'box-1');
  const boxes = await db('boxes').where({ customerId }).whereNot({ name: 'shop' }).orderBy('name');
  const names = Array.from({ length: 30 }, (_, at) => `${at % 3 === 0 ? '*.' : ''}n${at}.example`);
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  const change = async (domain: string) => {
    const row = {
      customerId,
      domain,
      boxId: pick(boxes).id,
      position: 0,
      state: pick(['proved', 'failing', 'pending']),
    };
    const dated = { ...row, claimEndsAt: row.state === 'pending' ? db.raw("now() + interval '1 day'") : null };
    const changes = [
      () => db('box_domains').insert(dated).onConflict(['customerId', 'domain']).merge(),
      () => db('box_domains').insert(dated).onConflict(['customerId', 'domain']).merge(),
      () => db('box_domains').where({ customerId, domain }).delete(),
      () =>
        db('boxes')
          .where({ id: pick(boxes).id })
          .update({ backendUrl: `https://moved-${Math.random()}.example.com` }),
    ];
    await pick(changes)();
  };
  for (let round = 0; round < 40; round++) {
    // Changes of one domain happen one after another in the service (lockDomains), and would conflict here.
    const changed = new Set([pick(names), pick(names), pick(names)]);
    await Promise.all([...[...changed].map(change), ...(round % 10 === 5 ? [cutOff()] : [])]);
    await Promise.all([controlPlane.server.served.catchUp(), replica.served.catchUp()]);
    for (const { served } of [controlPlane.server, replica]) {
      const found = await Promise.all(names.map((name) => served.find([name])));
      t.strictSame(found, await Promise.all(names.map((name) => findBackend(db, [name], false))), `round ${round}`);
    }
  }
});

t.test('a replica that starts while domains change has all of them', async (t) => {
  const [{ id: boxId }] = await db('boxes').where({ customerId, name: 'shop' });
  const insert = (from: number, to: number) =>
    db.raw(
      `insert into box_domains (customer_id, domain, box_id, position, state)
       select ?, 'm' || number || '.example', ?, 0, 'proved' from generate_series(?::integer, ?::integer) as number`,
      [customerId, boxId, from, to],
    );
  await insert(1, 25_000);
  const starting = startControlPlane(options);
  for (let round = 0; round < 20; round++) {
    await insert(25_001 + 100 * round, 25_100 + 100 * round);
    await db.raw("delete from box_domains where domain in (select 'm' || number || '.example' from generate_series(?::integer, ?::integer) number)", [100 * round, 100 * round + 49]); // biome-ignore format: short
  }
  const started = await starting;
  t.teardown(() => started.stop());
  await started.served.catchUp();
  const rows = await db('box_domains').whereLike('domain', 'm%.example').select('domain');
  const there = new Set(rows.map(({ domain }) => domain));
  const wrong: string[] = [];
  for (let number = 1; number <= 27_000; number++) {
    const domain = `m${number}.example`;
    if (((await started.served.find([domain])) !== null) !== there.has(domain)) wrong.push(domain);
  }
  t.strictSame([there.size, wrong], [27_000 - 20 * 50 + 1, []]);
});

t.test('the proxies of others ask with their own parameter', async (t) => {
  await deploy(['asked.example'], 'https://box.example.com', 'asked');
  const ask = (query: string) => controlPlane.visitor().get(`/boxes/resolve?${query}`);
  t.equal((await ask('domain=asked.example')).status, 200);
  t.equal((await ask('domain=unknown.example')).status, 404);
  t.equal((await ask('domain=asked.example&host=other.example')).status, 400);
  t.equal((await ask('')).status, 400);
});
