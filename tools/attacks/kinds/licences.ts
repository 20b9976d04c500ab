/**
 * Licences at the control plane and the registry: domains of others, guesses, activations without limit.
 */
import { randomBytes } from 'node:crypto';
import { bodyOf, callerOf } from '@carton/runtime/testing';
import { generateKey } from '../../../control-plane/license/key.ts';
import type { Attack } from '../attack.ts';
import { untilLimited } from '../limits.ts';
import type { Target } from '../target.ts';
import { newLoopback, send } from '../wire.ts';

/** As `tools/shipped-stack/vendor.ts` sets them. */
const nameservers = ['ns1.vendor.example', 'ns2.vendor.example'];
/** Wrong credentials of an address in a minute, after which further ones are refused. */
const failuresPerWindow = 20;
const unauthorized = { status: 401 };
const tooMany = { status: 429, code: 'too_many_requests' };

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const newDomain = () => `linen-${randomBytes(5).toString('hex')}.store`;

function customerOf({ controlPlane: { visitor } }: Target, key: string) {
  return {
    deploy: (domains: readonly string[]) =>
      visitor.post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://box.example.com', domains }),
    status: async () => (await bodyOf(visitor.get('/boxes/deploy/status?name=shop', bearer(key)))).domains,
    verify: () => visitor.post('/boxes/domains/verify', { name: 'shop' }, bearer(key)),
  };
}

export const licences: readonly Attack[] = [
  {
    name: 'licences: a domain by delegation',
    tries: 'another caller claims a domain that its owner has delegated to the vendor, and keeps it from the owner',
    async run(target, observe) {
      const [domain, alone] = [newDomain(), newDomain()];
      target.dns[alone] = nameservers;
      const other = customerOf(target, (await target.mintKey()).key);
      const owner = customerOf(target, (await target.mintKey()).key);
      observe.works('the owner of a domain nobody else claims', await owner.deploy([alone]));
      const proved = await owner.verify();
      observe.works('its delegation', proved);
      observe.is('its state', proved.body.domains[0].state, 'proved');
      observe.works('the claim of the other', await other.deploy([domain]));
      observe.works('the claim of the owner', await owner.deploy([alone, domain]));
      // Before, the claim of the other could be checked while it was the only one.
      target.dns[domain] = nameservers;
      for (const claimant of [other, owner]) {
        const checked = await claimant.verify();
        const found = checked.body.domains.find((each: { domain: string }) => each.domain === domain);
        observe.refused('a proof by the shared delegation', checked, { status: 200 });
        observe.is('the state', found.state, 'pending');
      }
      const { visitor } = target.controlPlane;
      observe.refused('it is served', await visitor.get(`/boxes/resolve?host=${domain}`), {
        status: 404,
        code: 'not_found',
      });
      const { record } = (await owner.status()).find((each: { domain: string }) => each.domain === domain);
      target.dns[record.name] = { txt: [record.value] };
      const byRecord = await owner.verify();
      observe.works('the record of the owner', byRecord);
      const state = (domains: { domain: string; state: string }[]) =>
        domains.find((each) => each.domain === domain)?.state;
      observe.is('the state with it', state(byRecord.body.domains) ?? null, 'proved');
      observe.refused('another claim', await other.deploy([domain, `www.${domain}`]), {
        status: 409,
        code: 'domain_taken',
      });
      observe.refused('a wildcard', await other.deploy([`*.${domain}`]), { status: 409, code: 'domain_taken' });
      observe.is('the owner still has it', state(await owner.status()) ?? null, 'proved');
    },
  },
  {
    name: 'licences: guesses',
    tries: 'wrong keys and secrets from an address, after which right ones of others at that address must still work',
    async run(target, observe) {
      const { port } = target.controlPlane;
      const { secrets } = target.settings;
      const { key } = await target.mintKey();
      const from = newLoopback();
      const activate = (sent: string) =>
        send(port, { method: 'POST', path: '/license/activate', body: { key: sent }, from });
      const get = (path: string, secret: string) =>
        send(port, { path, headers: { authorization: `Bearer ${secret}` }, from });
      observe.works('the right key', await activate(key));
      const answers = [];
      for (let guess = 0; guess < failuresPerWindow; guess += 1) answers.push(await activate(generateKey('basic').key));
      for (const answer of answers) observe.refused('a guess', answer, { status: 401, code: 'license_key_unknown' });
      for (let guess = 0; guess < target.rounds; guess += 1)
        observe.refused('a further guess', await activate(generateKey('enterprise').key), tooMany);
      observe.works('the right key at that address', await activate(key));
      observe.works('the administrator', await get('/license/keys', secrets.admin));
      observe.works('the registry', await get('/license/withdrawals', secrets.registry));
      observe.works('the holder of a key', await get('/license', key));
      const resolve = '/boxes/resolve?host=nobody.example&pending=1';
      const hosting = await send(port, { path: resolve, headers: { 'x-hosting-secret': secrets.hosting }, from });
      observe.works('the hosting layer', hosting, 404);
      for (const [path, secret] of [
        ['/license/keys', secrets.registry],
        ['/license/keys', secrets.hosting],
        ['/license/keys', secrets.metrics],
        ['/license/keys', key],
        ['/license/withdrawals', secrets.admin],
        ['/metrics', secrets.publish],
      ] as const) {
        observe.refused(`${path} with the secret of another`, await get(path, secret), unauthorized);
      }
      const { last: limited } = await untilLimited(() => get('/license/keys', randomBytes(24).toString('base64url')));
      observe.refused('a guess of the secret of the administrator, after many', limited, tooMany);
      observe.works('the administrator at that address', await get('/license/keys', secrets.admin));
      const forwarded = await send(port, {
        method: 'POST',
        path: '/license/activate',
        body: { key: generateKey('basic').key },
        headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' },
        from,
      });
      observe.refused('another address in X-Forwarded-For', forwarded, tooMany);
    },
  },
  {
    name: 'licences: guesses at the registry',
    tries: 'wrong tokens from an address, after which right ones of others at that address must still work',
    async run(target, observe) {
      const { port } = target.registry;
      const { key } = await target.mintKey();
      const { token } = await bodyOf(target.controlPlane.visitor.post('/license/activate', { key }));
      const from = newLoopback();
      const get = (secret: string, client = from) =>
        send(port, { path: '/@carton%2fcart', headers: { authorization: `Bearer ${secret}` }, from: client });
      const other = newLoopback();
      observe.works('the right token', await get(token));
      const invalid = { status: 401, code: 'token_invalid' };
      const limited = { status: 429, code: 'too_many_wrong_secrets' };
      for (let guess = 0; guess < failuresPerWindow; guess += 1)
        observe.refused('a guess of the secret', await get(`guess-${guess}`), invalid);
      observe.refused('a further one', await get('one-more'), limited);
      const forged = (guess: number) =>
        String(token).replace(/[^.]*$/, Buffer.from(`guess ${guess}`).toString('base64url'));
      let count = 0;
      const { before, last } = await untilLimited(() => get(forged(count++), other));
      for (const answer of before) observe.refused('a guess of a token', answer, invalid);
      observe.refused('a further one', last, { status: 429, code: 'too_many_wrong_tokens' });
      for (const address of [from, other]) {
        observe.works('the right token at that address', await get(token, address));
        observe.works('the publisher', await get(target.settings.secrets.publish, address));
      }
    },
  },
  {
    name: 'licences: activations without limit',
    tries: 'one valid key activates hundreds of times, with and without an installation',
    async run(target, observe) {
      const { visitor, admin } = target.controlPlane;
      const [{ id, key }, other] = [await target.mintKey(), await target.mintKey()];
      const activate = (headers: Record<string, string> = {}) =>
        visitor.post('/license/activate', { key }, { headers });
      observe.works('an activation', await activate());
      const { before, last } = await untilLimited(async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => activate()));
        return answers.find(({ status }) => status !== 200) ?? { status: 200, body: null };
      });
      observe.is('activations until one is refused', before.length > 0, true);
      observe.refused('a further one', last, tooMany);
      observe.works('the key of another', await visitor.post('/license/activate', { key: other.key }));
      observe.works('a read with the key', await visitor.get('/license', bearer(key)));
      const stored = await admin.get(`/license/keys/${id}/activations?limit=100`);
      observe.works('what is stored', stored);
      observe.is('activations of one installation', stored.body.items.length, 1);
    },
  },
  {
    name: 'licences: licences of others',
    tries: 'the holder of a key reads and ends boxes, domains and keys of another customer',
    async run(target, observe) {
      const { visitor } = target.controlPlane;
      const [mine, theirs] = [await target.mintKey(), await target.mintKey()];
      const domain = newDomain();
      const victim = customerOf(target, theirs.key);
      observe.works('the box of the victim', await victim.deploy([domain]));
      const status = await visitor.get('/boxes/deploy/status?name=shop', bearer(theirs.key));
      observe.works('its status', status);
      const mineCaller = callerOf(target.controlPlane.url, bearer(mine.key).headers);
      observe.refused('its status by name', await mineCaller.get('/boxes/deploy/status?name=shop'), {
        status: 404,
        code: 'not_found',
      });
      observe.refused('its domain', await mineCaller.delete(`/boxes/domains/${domain}`), unauthorized);
      for (const path of [
        `/license/keys/${theirs.id}`,
        '/license/keys',
        '/customers/export?customerId=x',
        '/journal',
        '/webhooks',
        '/events',
      ]) {
        observe.refused(path.replace(theirs.id, ':id'), await mineCaller.get(path), unauthorized);
      }
      for (const step of ['revoke', 'suspend', 'replace', 'renew', 'convert']) {
        observe.refused(step, await mineCaller.post(`/license/keys/${theirs.id}/${step}`, {}), unauthorized);
      }
      const mint = await mineCaller.post('/license/keys', { customerId: 'x', tier: 'enterprise' });
      observe.refused('a key of its own making', mint, unauthorized);
      observe.works('the victim’s key', await visitor.get('/license', bearer(theirs.key)));
    },
  },
];
