/**
 * The server of a storefront sends the requests of all its shoppers from one address: it names theirs, with a credential.
 */
import { type Caller, callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createMember, password } from '../testing/index.ts';
import { forgetAttempts } from './helpers.ts';

// Hashing a password is slow on purpose.
t.setTimeout(600_000);

const packages = ['core', 'auth', 'tenant', 'api-key', 'member'].map((name) => `@carton/${name}`);
const keyHeader = 'x-storefront-key';
const addressHeader = 'x-shopper-address';

type Body = Record<string, unknown>;
const newKey = async (staff: Caller, body: Body): Promise<{ id: string; key: string }> =>
  (await staff.post('/admin/api-keys', { name: 'Storefront', kind: 'secret', ...body })).body;

t.test('typing errors of shoppers behind a storefront do not lock out the others', async (t) => {
  const box = await createTestBox(t, { packages, tier: 'basic', trustProxy: 'loopback' });
  const { key } = await newKey(box.staff, { scopes: ['storefront:write'] });
  const guess = (shopper: Caller, number: number) =>
    shopper.post('/member/login', { email: `nobody-${number}@mail.example`, password: 'a typing error' });
  const logIn = async (shopper: Caller) => {
    const { email } = await createMember(box);
    return (await shopper.post('/member/login', { email, password })).status;
  };
  const server = { ...box.visitor().headers, 'x-forwarded-for': '203.0.113.9' };
  const shopperAt = (address: string, credential = key) =>
    callerOf(box.url, { ...server, [keyHeader]: credential, [addressHeader]: address });

  for (const credential of [key, box.secrets.hosting]) {
    for (let number = 0; number < 20; number++)
      t.equal((await guess(shopperAt(`198.51.100.${number}`, credential), number)).status, 401);
    t.equal(await logIn(shopperAt('198.51.100.77', credential)), 200);
    await forgetAttempts(box);
  }

  for (let number = 0; number < 20; number++) await guess(shopperAt('192.0.2.1'), number);
  t.equal((await guess(shopperAt('192.0.2.1'), 20)).status, 429, 'a guesser behind it is limited');
  t.equal((await guess(shopperAt('::ffff:0:192.0.2.1'), 20)).status, 429, 'in every form of the address');
  t.equal(await logIn(shopperAt('192.0.2.2')), 200);
  const itself = callerOf(box.url, { ...box.visitor().headers, 'x-forwarded-for': '192.0.2.1' });
  t.equal((await guess(itself, 21)).status, 429, 'as it is without the storefront');
});

t.test('without a valid credential the header is ignored', async (t) => {
  const box = await createTestBox(t, { packages, tier: 'basic', rateLimits: { read: 2 } });
  const other = await box.openTenant();
  const { key } = await newKey(box.staff, { scopes: ['storefront:write'] });
  const narrow = await newKey(box.staff, { scopes: ['core:read', 'core:write'] });
  const revoked = await newKey(box.staff, { scopes: ['storefront:write'] });
  const foreign = await newKey(other.staff, { scopes: ['storefront:write'] });
  const publishable = await newKey(box.staff, { kind: 'publishable', scopes: [] });
  await box.staff.post(`/admin/api-keys/${revoked.id}/revoke`);
  let addresses = 0;
  const statusWith = async (headers: Record<string, string>) =>
    (await box.visitor().get('/store', { headers: { [addressHeader]: `192.0.2.${++addresses}`, ...headers } })).status;
  t.strictSame([await statusWith({}), await statusWith({}), await statusWith({})], [200, 200, 429]);
  const ignored: [what: string, headers: Record<string, string>][] = [
    ['no key', {}],
    ['a wrong key', { [keyHeader]: 'ck_secret_wrong' }],
    ['another scope', { [keyHeader]: narrow.key }],
    ['revoked', { [keyHeader]: revoked.key }],
    ['of another store', { [keyHeader]: foreign.key }],
    ['publishable', { [keyHeader]: publishable.key }],
    ['a wrong hosting secret', { [keyHeader]: `${box.secrets.hosting}x` }],
    ['what a hosting layer adds to all requests', { 'x-hosting-secret': box.secrets.hosting }],
    ['no address', { [keyHeader]: key, [addressHeader]: 'localhost' }],
    ['two addresses', { [keyHeader]: key, [addressHeader]: '192.0.2.1, 192.0.2.2' }],
  ];
  for (const [what, headers] of ignored) t.equal(await statusWith(headers), 429, what);
  t.equal(await statusWith({ [keyHeader]: key }), 200);
  t.equal(await statusWith({ [keyHeader]: box.secrets.hosting }), 200);
  const all = await newKey(box.staff, { scopes: ['*'] });
  t.equal(await statusWith({ [keyHeader]: all.key }), 200, 'a scope of all permissions includes it');
});

t.test('the document has the headers at the operations of shoppers', async (t) => {
  const box = await createTestBox(t, { packages, tier: 'basic' });
  const document = (await box.visitor().get('/docs/json')).body;
  const headersOf = (path: string, method: string) =>
    (document.paths[path][method].parameters ?? []).map(({ $ref = '' }) => $ref.split('/').pop());
  for (const path of ['/member/login', '/member/register']) {
    const headers = headersOf(path, 'post');
    t.ok(headers.includes('ShopperAddress') && headers.includes('StorefrontKey'), path);
  }
  t.notOk(headersOf('/admin/api-keys', 'post').includes('ShopperAddress'));
  t.notOk(headersOf('/health', 'get').includes('ShopperAddress'));
  t.match(document.components.parameters.ShopperAddress, { name: 'X-Shopper-Address', in: 'header' });
});
