/**
 * Headers: hosts and addresses of the attacker, requests of other sites, caches, redirects.
 */
import { bodyOf, type OpenedTenant } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { untilWaiting } from '../limits.ts';
import type { Target } from '../target.ts';
import { newAddress, send } from '../wire.ts';

const evil = 'evil.example';
const notFound = { status: 404, code: 'tenant_not_found' };

const address = { name: 'Ada', line1: '1 Main Street', city: 'Paris', postalCode: '75001', country: 'FR' };

/** Gives a store a host. */
async function hostOf({ box }: Target, store: OpenedTenant): Promise<string> {
  const host = `shop.${store.slug}.example`;
  await bodyOf(box.operator.post(`/admin/tenants/${store.id}/domains`, { host }));
  return host;
}

export const headers: readonly Attack[] = [
  {
    name: 'headers: hosts from clients',
    tries: 'X-Forwarded-Host, Forwarded and the like name another store, at a box that trusts no proxy',
    direct: true,
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const [own, theirs] = [await hostOf(target, store), await hostOf(target, other)];
      const read = (more: Record<string, string>) => send(target.box.port, { path: '/store', headers: more });
      const right = await read({ host: own });
      observe.works('the own host', right);
      observe.works('the other host', await read({ host: theirs }));
      for (const name of ['x-forwarded-host', 'x-host', 'x-original-host', 'x-forwarded-server']) {
        const answer = await read({ host: own, [name]: theirs });
        observe.refused(name, answer, { status: 200 });
        observe.is(`${name} leads to the own store`, answer.body.name === right.body.name, true);
      }
      const forwarded = await read({ host: own, forwarded: `host=${theirs}` });
      observe.is('Forwarded leads to the own store', forwarded.body.name === right.body.name, true);
      observe.refused('a host of nobody', await read({ host: evil, 'x-forwarded-host': own }), notFound);
    },
  },
  {
    name: 'headers: addresses from clients',
    tries: 'a guesser names another address in each request, at a box that trusts no proxy',
    direct: true,
    async run(target, observe) {
      const store = await target.openStore();
      const path = '/orders/lookup/open';
      const guess = () =>
        store.visitor().post(
          path,
          { token: 'x'.repeat(43) },
          {
            headers: { 'x-forwarded-for': newAddress(), forwarded: `for=${newAddress()}`, 'x-real-ip': newAddress() },
          },
        );
      observe.works('the store', await store.visitor().get('/store'));
      const limited = { status: 429, code: 'too_many_requests' };
      observe.refused('they count as one address', await untilWaiting(guess), limited);
      observe.works('a shopper at that address', await store.visitor().get('/products'));
      await untilWaiting(guess);
      const shopper = { 'x-shopper-address': newAddress() };
      const answer = await store.visitor().post(path, { token: 'x'.repeat(43) }, { headers: shopper });
      observe.refused('X-Shopper-Address without a key', answer, limited);
    },
  },
  {
    name: 'headers: links in mails',
    tries: 'a reset of a password is requested with the host of the attacker, to which the link of the mail would lead',
    async run(target, observe) {
      const store = await target.openStore();
      const host = await hostOf(target, store);
      const member = await target.createMember(store);
      const count = (await target.mails()).filter(({ to }) => to === member.email).length;
      const request = (more: Record<string, string>) =>
        send(target.box.port, {
          method: 'POST',
          path: '/member/password/forgot',
          body: { email: member.email },
          headers: more,
        });
      observe.works('by the own host', await request({ host }), 202);
      const hosted = store.visitor().headers;
      observe.works(
        'with another host',
        await request({
          ...hosted,
          host: evil,
          'x-forwarded-host': evil,
          origin: `https://${evil}`,
          referer: `https://${evil}/`,
        }),
        202,
      );
      observe.refused('by the host of the attacker', await request({ host: evil }), notFound);
      for (const number of [count, count + 1]) {
        const mail = await target.mailbox.mailTo(member.email, number);
        observe.is('the host of the attacker is in a mail', JSON.stringify(mail).includes(evil), false);
      }
    },
  },
  {
    name: 'headers: other sites',
    tries: 'pages of other origins read with, and send, the cookie of a shopper',
    async run(target, observe) {
      const store = await target.openStore();
      const host = await hostOf(target, store);
      const { port } = target.box;
      const partner = 'https://partner.example';
      await bodyOf(store.staff.patch('/admin/store', { allowedOrigins: [partner] }));
      const put = { method: 'PUT', path: '/cart/shipping-address', body: address };
      const first = await send(port, { ...put, headers: { host } });
      observe.works('a shopper without a cookie', first);
      const cookie = /(\w*carton_session=[^;]+)/.exec(String(first.headers['set-cookie']))?.[1] ?? '';
      const change = (more: Record<string, string>) => send(port, { ...put, headers: { host, cookie, ...more } });
      observe.works('with the cookie', await change({}));
      observe.works('of an allowed origin', await change({ origin: partner, 'sec-fetch-site': 'cross-site' }));
      const crossSite = { status: 403, code: 'cross_site_request' };
      for (const origin of [
        `https://${evil}`,
        'null',
        `https://${host}.${evil}`,
        `https://${host}@${evil}`,
        `${partner}.${evil}`,
      ]) {
        observe.refused(origin, await change({ origin, 'sec-fetch-site': 'cross-site' }), crossSite);
        observe.refused(`${origin} of an old browser`, await change({ origin }), crossSite);
        const read = await send(port, { path: '/cart', headers: { host, cookie, origin } });
        observe.refused(`a read of ${origin}`, read, { status: 200 });
        observe.is('its origin is allowed', read.headers['access-control-allow-origin'] === undefined, true);
        observe.is('with credentials', read.headers['access-control-allow-credentials'] === undefined, true);
        const asked = {
          host,
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type',
        };
        const preflight = await send(port, { method: 'OPTIONS', path: '/cart/shipping-address', headers: asked });
        observe.is('a preflight allows it', preflight.headers['access-control-allow-origin'] === undefined, true);
      }
      const simple = await send(port, {
        method: 'PUT',
        path: '/cart/shipping-address',
        body: JSON.stringify(address),
        headers: { host, 'content-type': 'text/plain' },
      });
      observe.refused('JSON as text', simple, { status: 415, code: 'unsupported_media_type' });
    },
  },
  {
    name: 'headers: caches',
    tries: 'headers that a cache does not know change what it would store for others',
    async run(target, observe) {
      const store = await target.openStore();
      const host = await hostOf(target, store);
      const { port } = target.box;
      const get = (path: string, more: Record<string, string> = {}) => send(port, { path, headers: { host, ...more } });
      for (const path of ['/store', '/products', '/robots.txt', '/sitemap.xml', '/docs']) {
        const right = await get(path);
        observe.works(path, right);
        const poison = {
          'x-original-url': '/admin/orders',
          'x-rewrite-url': '/admin/orders',
          'x-forwarded-prefix': `//${evil}`,
          'x-forwarded-port': '1',
          'x-http-method-override': 'DELETE',
          'x-forwarded-scheme': 'nothttps',
        };
        const poisoned = await get(path, poison);
        observe.refused(`${path} with them`, poisoned, { status: 200 });
        observe.is(`${path} is the same`, poisoned.text === right.text, true);
        observe.is(`${path} names the attacker`, poisoned.text.includes(evil), false);
      }
      const shopper = store.shopper();
      await bodyOf(shopper.put('/cart/shipping-address', address));
      for (const path of ['/products', '/cart']) {
        const answer = await shopper.get(path);
        observe.works(`${path} of a shopper`, answer);
        observe.is(`${path} is private`, /no-store/.test(answer.headers.get('cache-control') ?? ''), true);
      }
      const staff = await store.staff.get('/admin/orders');
      observe.is('lists of staff are private', /no-store/.test(staff.headers.get('cache-control') ?? ''), true);
    },
  },
  {
    name: 'headers: redirects',
    tries: 'redirects of a website lead to other sites, and into headers',
    async run(target, observe) {
      const store = await target.openStore();
      const create = (target: string, path = '/old') => store.staff.post('/admin/redirects', { path, target });
      observe.works('a redirect', await create('/new'), 201);
      const invalid = { status: 400, code: 'invalid_request' };
      for (const to of [
        `//${evil}`,
        `/\\${evil}`,
        `\\\\${evil}`,
        'javascript:alert(1)',
        'data:text/html,x',
        '/a\r\nSet-Cookie: a=b',
        `/\t/${evil}`,
        `https:${evil}`,
        `https://${evil}/`,
        ` //${evil}`,
      ])
        observe.refused(JSON.stringify(to), await create(to, '/other'), invalid);
      const resolve = (path: string) => store.visitor().get(`/redirects/resolve?path=${encodeURIComponent(path)}`);
      observe.works('it is found', await resolve('/old'));
      for (const path of [`//${evil}/old`, '/old/..', `https://${evil}/old`, '/OLD%00']) {
        const answer = await resolve(path);
        observe.refused(path, answer, answer.status === 400 ? invalid : { status: 404, code: 'not_found' });
      }
      const docs = await send(target.box.port, { path: `/docs//${evil}`, headers: store.visitor().headers });
      observe.refused('the documents', docs, { status: 404 });
      observe.is('lead elsewhere', docs.headers.location === undefined, true);
    },
  },
];
