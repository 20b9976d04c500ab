/**
 * Activation tokens: forged ones at the registry, and packages that a licence does not include, by every spelling.
 */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bodyOf, callerOf } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';
import { send } from '../wire.ts';

type Json = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;

function signedWith(privateKey: KeyObject, header: Json, claims: Json): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

function hmacOf(secret: string | Buffer, header: Json, claims: Json): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** A token of a licence of the lowest tier, with its parts. */
async function activate({ mintKey, controlPlane }: Target) {
  const { key } = await mintKey();
  const { token } = await bodyOf(controlPlane.visitor.post('/license/activate', { key }));
  const [header, claims, signature] = String(token).split('.');
  return { token: String(token), header: decode(header), claims: decode(claims), parts: { header, signature } };
}

/** Forged tokens, each with the code of its refusal. */
async function forgedTokens(target: Target): Promise<[what: string, token: string, code: string][]> {
  const { header, claims, parts, token } = await activate(target);
  const [jwk] = (await bodyOf(target.controlPlane.visitor.get('/.well-known/jwks.json'))).keys;
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const { privateKey, publicKey: ownKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const more = { ...claims, tier: 'enterprise', packages: ['@carton/cart', '@carton/audit', '@carton/collection'] };
  const now = Math.floor(Date.now() / 1000);
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const none = (alg: string) => `${encode({ ...header, alg })}.${encode(more)}.`;
  const jwkOfAttacker = { ...ownKey.export({ format: 'jwk' }), kid: header.kid };
  return [
    ['no token', 'nonsense', 'token_invalid'],
    ['alg none', none('none'), 'token_invalid'],
    ['alg None', none('None'), 'token_invalid'],
    ['no signature', `${parts.header}.${encode(more)}.`, 'token_invalid'],
    ['other claims', `${parts.header}.${encode(more)}.${parts.signature}`, 'token_invalid'],
    ['HS256 with the public key (PEM)', hmacOf(pem, { ...header, alg: 'HS256' }, more), 'token_invalid'],
    ['HS256 with the public key (DER)', hmacOf(der, { ...header, alg: 'HS256' }, more), 'token_invalid'],
    ['HS256 with no key', hmacOf('', { ...header, alg: 'HS256' }, more), 'token_invalid'],
    ['a key of the attacker', signedWith(privateKey, header, more), 'token_invalid'],
    ['an unknown kid', signedWith(privateKey, { ...header, kid: 'attacker' }, more), 'token_invalid'],
    ['a path as kid', signedWith(privateKey, { ...header, kid: '../../../dev/null' }, more), 'token_invalid'],
    ['its key in the header', signedWith(privateKey, { ...header, jwk: jwkOfAttacker }, more), 'token_invalid'],
    ['its key at a URL', signedWith(privateKey, { ...header, jku: 'http://127.0.0.1:9/jwks' }, more), 'token_invalid'],
    ['expired', signedWith(privateKey, header, { ...more, exp: now - 600 }), 'token_invalid'],
    ['another issuer', signedWith(privateKey, header, { ...more, iss: 'evil' }), 'token_invalid'],
    ['another audience', signedWith(privateKey, header, { ...more, aud: 'https://evil.example' }), 'token_invalid'],
    ['cut', token.slice(0, -8), 'token_invalid'],
    ['another last character', `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`, 'token_invalid'],
  ];
}

export const tokens: readonly Attack[] = [
  {
    name: 'tokens: forged at the registry',
    tries: 'tokens without a signature, with HS256 and the public key, other keys, claims, issuers and audiences',
    async run(target, observe) {
      const { token } = await activate(target);
      const { port } = target.registry;
      const paths = ['/@carton%2fcart', '/-/whoami'];
      const as = (bearer: string, path: string) => send(port, { path, headers: { authorization: `Bearer ${bearer}` } });
      for (const path of paths) observe.works(`the right token: ${path}`, await as(token, path));
      for (const [what, forged, code] of await forgedTokens(target)) {
        for (const path of paths) observe.refused(what, await as(forged, path), { status: 401, code });
      }
      observe.refused('none', await send(port, { path: '/@carton%2fcart' }), { status: 401, code: 'token_missing' });
      const basic = Buffer.from(`publisher:${target.settings.secrets.publish}`).toString('base64');
      const withBasic = await send(port, { path: '/@carton%2fcart', headers: { authorization: `Basic ${basic}` } });
      observe.refused('the secret of the publisher as Basic', withBasic, { status: 401, code: 'token_missing' });
      const two = { authorization: [`Bearer ${token}`, `Bearer ${target.settings.secrets.publish}`] };
      const twice = await send(port, { path: '/@carton%2faudit', headers: two });
      observe.refused('two headers', twice, { status: 403, code: 'not_entitled' });
    },
  },
  {
    name: 'tokens: of ended licences',
    tries: 'a token is used after its licence was revoked, and a revoked or suspended key is activated',
    async run(target, observe) {
      const { admin, visitor } = target.controlPlane;
      for (const [step, code] of [
        ['revoke', 'license_revoked'],
        ['suspend', 'license_suspended'],
      ] as const) {
        const { id, key } = await target.mintKey();
        observe.works('an activation', await visitor.post('/license/activate', { key }));
        observe.works(step, await admin.post(`/license/keys/${id}/${step}`));
        const refused = { status: 403, code };
        observe.refused('an activation afterwards', await visitor.post('/license/activate', { key }), refused);
        const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: [] };
        observe.refused('a deployment', await visitor.post('/boxes/deploy', box), refused);
      }
    },
  },
  {
    name: 'tokens: packages of higher tiers',
    tries: 'a licence of the lowest tier reads packuments and tarballs of a higher one, by every spelling of the path',
    async run(target, observe) {
      const { token } = await activate(target);
      const { port, url } = target.registry;
      const as = (path: string, bearer = token) => send(port, { path, headers: { authorization: `Bearer ${bearer}` } });
      const publisher = target.settings.secrets.publish;
      const packument = await as('/@carton%2faudit', publisher);
      observe.works('the publisher reads it', packument);
      const tarball = new URL(
        Object.values(packument.body.versions as Json[]).map(({ dist }) => (dist as Json).tarball)[0] as string,
      ).pathname;
      const file = tarball.split('/').at(-1) ?? '';
      observe.works('the publisher reads the tarball', await as(tarball, publisher));
      observe.works('an own package', await as('/@carton%2fcart'));
      const notEntitled = { status: 403, code: 'not_entitled' };
      for (const path of [
        '/@carton/audit',
        '/@carton%2Faudit',
        '/%40carton%2faudit',
        tarball,
        tarball.replace('/audit', '%2faudit'),
      ]) {
        observe.refused(path, await as(path), notEntitled);
      }
      const unknown = [
        '/@carton/Audit',
        '/@CARTON/audit',
        '/@carton//audit',
        '//@carton/audit',
        '/@carton/audit/',
        '/@carton/./audit',
        '/@carton%252faudit',
        '/%2540carton%252faudit',
        '/@carton%2f%61udit',
        '/@carton/cart/../audit',
        '/@carton/cart%2f..%2faudit',
        '/@carton/cart/%2e%2e/audit',
        '/@carton/cart;/../audit',
        `/@carton/cart/-/../../audit/-/${file}`,
        `/@carton/cart/-/..%2f..%2faudit%2f${file}`,
        `/@carton/cart/-/${file}`,
        `/@carton/cart/-/${file}%00.tgz`,
        '/@carton/audit%00',
        '/@carton/audit.',
        '/@carton\\audit',
        `${url}/@carton/audit`,
        '/-/all/since',
        '/-/verdaccio/data/packages',
        '/-/web/detail/@carton/audit',
        '/.verdaccio-db.json',
        '/-/static/../../../packages/@carton/audit/package.json',
      ];
      for (const path of unknown) observe.refused(path, await as(path), { status: 404, code: 'not_found' });
      for (const path of ['/-/v1/search?text=audit', '/-/all']) {
        observe.refused(path, await as(path), { status: 403, code: 'publisher_only' });
      }
      const tags = '/-/package/@carton%2faudit/dist-tags';
      observe.refused(tags, await as(tags), { status: 403, code: 'not_entitled' });
    },
  },
  {
    name: 'tokens: changes by a customer',
    tries: 'a customer, and nobody, publish, tag, unpublish and register at the registry',
    async run(target, observe) {
      const { token } = await activate(target);
      const { port } = target.registry;
      const mine = callerOf(target.registry.url, { authorization: `Bearer ${token}` });
      observe.works('a read', await mine.get('/@carton%2fcart'));
      for (const [method, path, body, right] of [
        ['PUT', '/@carton%2fcart', { name: '@carton/cart' }, 403],
        ['PUT', '/@carton%2fnew', { name: '@carton/new' }, 403],
        ['DELETE', '/@carton%2fcart/-rev/1', undefined, 403],
        ['DELETE', '/@carton/cart/-/cart-0.2.0.tgz/-rev/1', undefined, 403],
        ['PUT', '/-/package/@carton%2fcart/dist-tags/latest', '"0.0.1"', 403],
        ['PUT', '/-/user/org.couchdb.user:eve', { name: 'eve', password: 'secret-of-eve' }, 403],
        ['POST', '/-/npm/v1/tokens', { password: 'x' }, 403],
        ['POST', '/-/v1/login', {}, 403],
      ] as const) {
        const headers = { authorization: `Bearer ${token}` };
        observe.refused(`${method} ${path}`, await send(port, { method, path, headers, body }), {
          status: right,
          code: 'publisher_only',
        });
        const nobody = await send(port, { method, path, body });
        observe.refused(`${method} ${path} by nobody`, nobody, { status: 401, code: 'token_missing' });
      }
      observe.works('the package is as before', await mine.get('/@carton%2fcart'));
    },
  },
];
