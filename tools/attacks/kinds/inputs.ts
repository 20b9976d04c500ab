/**
 * Inputs: SQL, prototypes, deep and huge JSON, duplicate keys, characters that PostgreSQL does not store.
 */
import { createForSale } from '@carton/cart/testing';
import type { Attack } from '../attack.ts';
import { sellIn } from '../sale.ts';
import { send } from '../wire.ts';

const invalid = { status: 400, code: 'invalid_request' };
const malformed = { status: 400, code: 'malformed_json' };
const notFound = { status: 404, code: 'not_found' };
const statements = [
  "'; drop table orders; --",
  "' or '1'='1",
  '1; select pg_sleep(10)',
  '$1',
  "\\'; --",
  '%27%20or%201=1',
];

export const inputs: readonly Attack[] = [
  {
    name: 'inputs: statements',
    tries: 'SQL in ids, filters, sorts, searches, names and metadata',
    async run(target, observe) {
      const store = await target.openStore();
      const { order } = await sellIn(store);
      const { staff } = store;
      observe.works('the order', await staff.get(`/admin/orders/${order.id}`));
      for (const text of statements) {
        const sent = encodeURIComponent(text);
        observe.refused(`the id ${text}`, await staff.get(`/admin/orders/${sent}`), notFound);
        for (const query of [
          `sort=${sent}`,
          `status=${sent}`,
          `cursor=${sent}`,
          `limit=${sent}`,
          `updatedAfter=${sent}`,
        ]) {
          observe.refused(`${query}`, await staff.get(`/admin/orders?${query}`), invalid);
        }
        const search = await staff.get(`/admin/orders?q=${sent}`);
        observe.refused(`a search for ${text}`, search, { status: 200 });
        observe.is('orders that it finds', search.body.items.length, 0);
        observe.refused(`the handle ${text}`, await store.visitor().get(`/products/${sent}`), notFound);
        const created = await staff.post('/admin/products', { title: text, metadata: { [text]: text } });
        observe.works(`the title ${text}`, created, 201);
        observe.is('it is a text', created.body.title, text);
      }
      observe.works('the order afterwards', await staff.get(`/admin/orders/${order.id}`));
    },
  },
  {
    name: 'inputs: prototypes',
    tries: '__proto__, constructor and toString as members, parameters and ids',
    async run(target, observe) {
      const store = await target.openStore();
      const { port } = target.box;
      const { headers } = store.staff;
      const post = (body: string) => send(port, { method: 'POST', path: '/admin/products', body, headers });
      observe.works('a product', await post('{"title":"a"}'), 201);
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
        const member = await post(`{"title":"a","${name}":{"isAdmin":true,"status":"published"}}`);
        // Such a body is no JSON to the box at all.
        const isRefused = name === '__proto__' ? malformed : invalid;
        observe.refused(`a member ${name}`, member, isRefused);
        const kept = await post(`{"title":"a","metadata":{"${name}":{"polluted":true}}}`);
        const right = name === '__proto__' ? malformed : { status: 201 };
        observe.refused(`metadata with ${name}`, kept, right);
        for (const path of [`/admin/products?${name}=1`, `/admin/products?metadata[${name}]=1`]) {
          observe.refused(path, await store.staff.get(path), invalid);
        }
        observe.refused(`the handle ${name}`, await store.visitor().get(`/products/${name}`), notFound);
        const settings = await store.staff.call('PATCH', '/admin/store', { body: `{"settings":{"${name}":{"a":1}}}` });
        observe.refused(`settings with ${name}`, settings, isRefused);
      }
      const after = await post('{"title":"b"}');
      observe.works('a product afterwards', after, 201);
      observe.is('its status', after.body.status, 'draft');
      observe.is('its members', JSON.stringify(after.body).includes('polluted'), false);
    },
  },
  {
    name: 'inputs: JSON',
    tries: 'duplicate members, deep nesting, U+0000, other media types and other forms of JSON',
    async run(target, observe) {
      const store = await target.openStore();
      const { port } = target.box;
      const { headers } = store.staff;
      const post = (body: string, more: Record<string, string> = {}) =>
        send(port, { method: 'POST', path: '/admin/products', body, headers: { ...headers, ...more } });
      observe.works('a product', await post('{"title":"a","metadata":{"a":1}}'), 201);
      const nested = (levels: number) => `{"title":"a","metadata":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
      for (const [what, body] of [
        ['deep nesting', nested(5000)],
        ['nesting', nested(40)],
        ['U+0000', '{"title":"a\\u0000b"}'],
        ['half a surrogate pair', '{"title":"\\ud800"}'],
        ['no object', '["title"]'],
        ['null', 'null'],
      ] as const) {
        observe.refused(what, await post(body), invalid);
      }
      for (const [what, body] of [
        ['NaN', '{"title":"a","metadata":{"a":NaN}}'],
        ['a comment', '{"title":"a"/* x */}'],
        ['a trailing comma', '{"title":"a",}'],
        ['two values', '{"title":"a"}{"title":"b"}'],
        ['nothing', ' '],
      ] as const) {
        observe.refused(what, await post(body), malformed);
      }
      for (const body of ['{"title":"a","title":"b"}', '{"title":"a","t\\u0069tle":"b"}']) {
        const last = await post(body);
        observe.works('two members of one name', last, 201);
        observe.is('the one that counts', last.body.title, 'b');
        const wrong = await post(body.replace('"b"', '1'));
        observe.refused('which is the one that is checked', wrong, invalid);
      }
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
        const answer = await post('{"title":"a"}', { 'content-type': type });
        observe.refused(type, answer, { status: 415, code: 'unsupported_media_type' });
      }
    },
  },
  {
    name: 'inputs: members that are read only',
    tries: 'ids, tenants, states and times of the attacker in bodies that create and change',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const { productId } = await createForSale(store, 1000);
      const path = `/admin/products/${productId}`;
      observe.works('a change', await store.staff.patch(path, { title: 'b' }));
      for (const more of [
        { id: other.id },
        { tenantId: other.id },
        { tenant_id: other.id },
        { createdAt: '2020-01-01T00:00:00Z' },
        { updatedAt: '2020-01-01T00:00:00Z' },
        { role: 'owner' },
      ]) {
        observe.refused(`a change of ${Object.keys(more)}`, await store.staff.patch(path, more), invalid);
        const created = await store.staff.post('/admin/products', { title: 'c', ...more });
        observe.refused(`a product with ${Object.keys(more)}`, created, invalid);
      }
      const member = await target.createMember(store);
      for (const more of [
        { email: 'x@y.example' },
        { status: 'active' },
        { emailVerifiedAt: null },
        { role: 'owner' },
      ]) {
        observe.refused(`a member with ${Object.keys(more)}`, await member.caller.patch('/member', more), invalid);
      }
    },
  },
];
