/**
 * Domains of boxes are served once DNS proves them, by a TXT record or by delegation to the vendor's nameservers.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { checkDueDomains } from '../boxes/proof/schedule.ts';
import { type DnsResponse, startResponder } from '../boxes/testing/dns-responder.ts';
import { nameservers, startTestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = {
  'delegated.shop': nameservers,
  'www.delegated.shop': 'no data',
  'reversed.shop': ['NS2.Vendor.example', 'ns1.vendor.example'],
  'single.shop': [nameservers[0] as string],
  'subzone.parent.shop': nameservers,
  'parent.shop': ['ns.parent.example'],
  'elsewhere.shop': ['ns1.elsewhere.example', 'ns2.elsewhere.example'],
  'mixed.shop': [nameservers[0] as string, 'ns9.elsewhere.example'],
  'broken.shop': 'server failure',
  '_carton.broken.shop': 'server failure',
  'closed.shop': 'refused',
  '_carton.closed.shop': 'refused',
  'slow.shop': 'silence',
  '_carton.slow.shop': 'silence',
  // Only one of the two lookups fails.
  'half.shop': 'server failure',
};
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameserverLookup: responder.address });
const quiet = { info() {}, warn() {} };

const deploy = (key: string, domains: string[], name = 'shop') =>
  controlPlane.visitor().post('/boxes/deploy', { key, name, backendUrl: 'https://box.example.com', domains });
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const statusOf = async (key: string) =>
  (await controlPlane.visitor().get('/boxes/deploy/status?name=shop', bearer(key))).body;
const verify = async (key: string) =>
  (await controlPlane.visitor().post('/boxes/domains/verify', { name: 'shop' }, bearer(key))).body;
/** Also after changes that were made without a request. */
const resolve = async (host: string) => {
  await controlPlane.server.served.catchUp();
  return (await controlPlane.visitor().get(`/boxes/resolve?host=${host}`)).status;
};
const stateOf = async (key: string) => (await statusOf(key)).domains[0]?.state;
/** Sets a time of a domain to a second ago. */
const pass = (domain: string, column: string) =>
  controlPlane
    .db('box_domains')
    .where({ domain })
    .update({ [column]: controlPlane.db.raw("now() - interval '1 second'") });

t.test('a TXT record proves a domain, which is served from then on', async (t) => {
  const { key } = await controlPlane.mint();
  const registered = ['WWW.linen.shop', '*.wool.shop'];
  t.strictSame((await deploy(key, registered)).body, { registered, nameservers }, 'pending domains are registered');
  const [linen, wool] = (await statusOf(key)).domains;
  t.match(linen, {
    domain: 'www.linen.shop',
    state: 'pending',
    provedBy: null,
    record: { name: '_carton.www.linen.shop', type: 'TXT', value: /^carton-verification=[0-9a-f]{40}$/ },
    errors: exactly([]),
    checkedAt: null,
    stopsAt: null,
  });
  const days = (Date.parse(linen.claimEndsAt) - Date.now()) / 86_400_000;
  t.ok(days > 6.9 && days <= 7.01, `the claim ends in ${days} days`);
  t.equal(await resolve('www.linen.shop'), 404);

  const before = await verify(key);
  t.match(before.domains[0], {
    state: 'pending',
    errors: exactly([{ code: 'record_missing', fix: new RegExp(linen.record.value) }, { code: 'domain_not_found' }]),
    checkedAt: /Z$/,
  });
  responses[linen.record.name] = { txt: ['v=spf1 -all', 'carton-verification=of another'] };
  t.match((await verify(key)).domains[0], {
    state: 'pending',
    observedRecords: exactly(['v=spf1 -all', 'carton-verification=of another']),
    errors: exactly([{ code: 'record_differs' }, { code: 'domain_not_found' }]),
  });
  responses[linen.record.name] = { txt: ['v=spf1 -all', linen.record.value] };
  t.match(
    (await verify(key)).domains,
    exactly([
      { state: 'proved', provedBy: 'record', errors: exactly([]), claimEndsAt: null },
      { domain: '*.wool.shop', state: 'pending', record: { name: '_carton.wool.shop' } },
    ]),
  );
  t.equal(await resolve('www.linen.shop'), 200);
  t.equal(await resolve('a.wool.shop'), 404);

  await deploy(key, ['new.linen-two.shop', 'www.linen.shop']);
  t.match(
    (await statusOf(key)).domains,
    exactly([
      { domain: 'new.linen-two.shop', state: 'pending' },
      { domain: 'www.linen.shop', state: 'proved', record: { value: linen.record.value } },
    ]),
    'a domain that stays keeps its proof',
  );
  t.ok(wool.record.value !== linen.record.value);
});

t.test('each domain is proved, not proved with a fix, or unknown', async (t) => {
  const elsewhere = ['ns1.elsewhere.example', 'ns2.elsewhere.example'];
  const noRecord = 'record_missing';
  const cases: [domain: string, state: string, observed: string[], codes: string[]][] = [
    ['delegated.shop', 'proved', nameservers, []],
    ['www.delegated.shop', 'proved', nameservers, []],
    ['new.www.delegated.shop', 'proved', nameservers, []],
    ['*.delegated.shop', 'proved', nameservers, []],
    ['reversed.shop', 'proved', nameservers, []],
    ['single.shop', 'proved', nameservers.slice(0, 1), []],
    ['subzone.parent.shop', 'proved', nameservers, []],
    ['other.parent.shop', 'pending', ['ns.parent.example'], [noRecord, 'not_delegated']],
    ['elsewhere.shop', 'pending', elsewhere, [noRecord, 'not_delegated']],
    ['*.elsewhere.shop', 'pending', elsewhere, [noRecord, 'not_delegated']],
    ['mixed.shop', 'pending', [nameservers[0] as string, 'ns9.elsewhere.example'], [noRecord, 'other_nameservers']],
    ['unregistered.shop', 'pending', [], [noRecord, 'domain_not_found']],
    ['broken.shop', 'pending', [], ['lookup_failed', 'lookup_failed']],
    ['half.shop', 'pending', [], [noRecord, 'lookup_failed']],
    ['closed.shop', 'pending', [], ['lookup_failed', 'lookup_failed']],
    ['slow.shop', 'pending', [], ['lookup_failed', 'lookup_failed']],
  ];
  const { key } = await controlPlane.mint();
  await deploy(
    key,
    cases.map(([domain]) => domain),
  );
  responder.queries.length = 0;
  const { domains } = await verify(key);
  t.equal(domains.length, cases.length);
  for (const [index, [domain, state, observedNameservers, codes]] of cases.entries()) {
    const { errors, ...facts } = domains[index];
    const provedBy = state === 'proved' ? 'delegation' : null;
    t.match(facts, { domain, state, provedBy, expectedNameservers: exactly(nameservers), checkedAt: /Z$/ }, domain);
    t.strictSame(facts.observedNameservers, observedNameservers, domain);
    t.strictSame(
      errors.map(({ code }: { code: string }) => code),
      codes,
      domain,
    );
    for (const error of errors) t.ok(error.detail && error.fix, JSON.stringify(error));
  }
  t.notOk(responder.queries.includes('shop'), 'top-level domains are not looked up');
  t.equal(responder.queries.filter((name) => name === 'elsewhere.shop').length, 1, 'each zone is looked up once');
});

t.test('an unproved claim blocks nobody; the first that proves a domain gets it', async (t) => {
  const [mine, other] = [await controlPlane.mint(), await controlPlane.mint()];
  for (const { key } of [other, mine]) t.equal((await deploy(key, ['www.oak.shop'])).status, 200);
  const records = [(await statusOf(mine.key)).domains[0].record, (await statusOf(other.key)).domains[0].record];
  t.not(records[0].value, records[1].value, 'each customer has a record of its own');
  responses[records[0].name] = { txt: records.map(({ value }) => value) };
  t.match((await verify(mine.key)).domains, exactly([{ state: 'proved' }]));
  t.match(
    (await verify(other.key)).domains,
    exactly([{ state: 'pending', errors: exactly([{ code: 'domain_taken', fix: /./ }]) }]),
  );
  t.match(await deploy(other.key, ['www.oak.shop']), { status: 409 }, 'now it belongs to another customer');
  t.match(await deploy(other.key, ['oak.shop']), { status: 409, body: { code: 'domain_taken' } });
});

t.test('the hosting layer may resolve a pending domain', async (t) => {
  const { key } = await controlPlane.mint();
  await deploy(key, ['www.glass.shop']);
  const ask = (headers: Record<string, string>, query = '&pending=1') =>
    controlPlane.visitor().get(`/boxes/resolve?host=www.glass.shop${query}`, { headers });
  const secret = { 'x-hosting-secret': controlPlane.options.hostingSecret as string };
  const found = await ask(secret);
  t.strictSame(found.body, { backendUrl: 'https://box.example.com', match: 'exact' });
  t.equal(found.headers.get('cache-control'), 'no-store');
  t.match(await ask({}), { status: 403, body: { code: 'hosting_secret_required' } });
  t.match(await ask({ 'x-hosting-secret': 'wrong' }), { status: 403 });
  t.match(await ask(secret, ''), { status: 404 });
});

t.test('a claim that is not proved ends after a week, unless the box is deployed again', async (t) => {
  const { key } = await controlPlane.mint();
  await deploy(key, ['late.shop']);
  const [{ record }] = (await statusOf(key)).domains;
  await pass('late.shop', 'claimEndsAt');
  await deploy(key, ['late.shop']);
  t.match((await statusOf(key)).domains, exactly([{ record }]), 'deployed again');
  await pass('late.shop', 'claimEndsAt');
  t.strictSame((await statusOf(key)).domains, []);
  responses[record.name] = { txt: [record.value] };
  await checkDueDomains(controlPlane.db, controlPlane.options, quiet);
  t.equal(await resolve('late.shop'), 404, 'a claim that ended is not proved');
});

t.test('a domain whose proof is gone is failing, and stops after the grace', async (t) => {
  const lines: string[] = [];
  const line = (_: object, message: string) => lines.push(message);
  const log = { info: line, warn: line };
  const check = async () => {
    await pass('silk.shop', 'nextCheckAt');
    await checkDueDomains(controlPlane.db, controlPlane.options, log);
  };
  const { key, customerId } = await controlPlane.mint();
  await deploy(key, ['silk.shop']);
  const [{ record }] = (await statusOf(key)).domains;
  const proof = { txt: [record.value] };
  responses[record.name] = proof;
  await check();
  t.equal(await stateOf(key), 'proved');
  for (const outcome of ['server failure', 'refused'] as const) {
    responses[record.name] = outcome;
    await check();
    t.match(
      (await statusOf(key)).domains,
      exactly([{ state: 'proved', errors: exactly([{ code: 'lookup_failed' }, { code: 'domain_not_found' }]) }]),
      outcome,
    );
  }
  responses[record.name] = 'no such name';
  await check();
  const [failing] = (await statusOf(key)).domains;
  t.match(failing, { state: 'failing', errors: exactly([{ code: 'record_missing' }, { code: 'domain_not_found' }]) });
  const hours = (Date.parse(failing.stopsAt) - Date.now()) / 3_600_000;
  t.ok(hours > 71.9 && hours <= 72.01, `it stops in ${hours} hours`);
  t.equal(await resolve('silk.shop'), 200, 'still served');

  responses[record.name] = proof;
  await check();
  t.match((await statusOf(key)).domains, exactly([{ state: 'proved', stopsAt: null }]), 'the proof returned');

  responses[record.name] = 'no such name';
  await check();
  await pass('silk.shop', 'stopsAt');
  responses[record.name] = 'server failure';
  for (let round = 0; round < 5; round += 1) await check();
  t.equal(await stateOf(key), 'failing', 'failed lookups do not count');
  responses[record.name] = 'no such name';
  for (let round = 0; round < 2; round += 1) await check();
  t.equal(await stateOf(key), 'failing', 'there were not enough checks');
  await check();
  t.match((await statusOf(key)).domains, exactly([{ state: 'pending', provedBy: null, stopsAt: null }]));
  t.equal(await resolve('silk.shop'), 404);
  t.strictSame(lines, [
    'domain is proved',
    'domain has lost its proof and will stop',
    'domain is proved again',
    'domain has lost its proof and will stop',
    'domain is no longer served: its proof did not return',
  ]);
  const { items } = (await controlPlane.admin.get(`/events?customerId=${customerId}`)).body;
  const [stopped, failed, recovered, failedBefore, proved] = items;
  t.match(
    [proved, failedBefore, recovered, failed, stopped].map(({ type }) => type),
    exactly(['domain.proved', 'domain.failing', 'domain.recovered', 'domain.failing', 'domain.stopped']),
  );
  t.match(failedBefore, {
    resource: { type: 'box' },
    payload: { customerId, domain: 'silk.shop', stopsAt: failing.stopsAt },
  });
  t.match(stopped.payload, { stopsAt: null });
  const other = await controlPlane.mint();
  t.match(await deploy(other.key, ['silk.shop']), { status: 409, body: { detail: /available from/ } }, 'it rests');
});

t.test('with proofs off every domain is served; once they are on, it has to be proved', async (t) => {
  const closed = await startTestControlPlane(t, { provesDomains: false, nameserverLookup: responder.address });
  const { key } = await closed.mint();
  const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: ['closed-net.shop'] };
  await closed.visitor().post('/boxes/deploy', box);
  t.equal((await closed.visitor().get('/boxes/resolve?host=closed-net.shop')).status, 200);
  const other = await closed.mint();
  t.match(await closed.visitor().post('/boxes/deploy', { ...box, key: other.key }), { status: 409 });
  t.equal(await checkDueDomains(closed.db, closed.options, quiet), 0);
  t.equal(await checkDueDomains(closed.db, { ...closed.options, provesDomains: true }, quiet), 1);
  const { body } = await closed.visitor().get('/boxes/deploy/status?name=shop', bearer(key));
  t.match(body.domains, exactly([{ state: 'failing', provedBy: 'off' }]));
});
