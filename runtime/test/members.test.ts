/**
 * Members and guests: a member is authenticated by a token of its package, as a bearer token or in its cookie.
 */
import t from 'tap';
import { newId } from '../db/id.ts';
import { type Caller, createTestBox, writePackage } from '../testing/index.ts';

const [ada, bob] = [newId(), newId()];
const index = `
import { definePackage, memberAuthenticators, nullable, object, route, Type } from '@carton/runtime';

const members = new Map([['ada', '${ada}'], ['bob', '${bob}']]);
const Who = object({ memberId: nullable(Type.String()), hasSession: Type.Boolean() });
const about = { tag: 'Members', status: 200, response: Who };
const who = ({ session }) => ({ memberId: session.memberId, hasSession: session.hash !== null });

const readWho = route({ ...about, method: 'get', path: '/who', operationId: 'readWho', summary: 'Read who calls', access: 'session' }, who);
const changeWho = route({ ...about, method: 'post', path: '/who', operationId: 'changeWho', summary: 'Begin', access: 'session' }, (services) => {
  services.session.begin();
  return who(services);
});
const readMe = route({ ...about, method: 'get', path: '/me', operationId: 'readMember', summary: 'Read oneself', access: 'member' }, who);

const authenticator = {
  cookieName: () => 'member',
  identify: async ({ tenant }, token) => {
    const [, slug, name] = /^mbr_(.*)_(.*)$/.exec(token) ?? [];
    return slug === tenant.slug && members.has(name) ? { memberId: members.get(name) } : null;
  },
};
export default definePackage({ routes: [readWho, changeWho, readMe], extends: [memberAuthenticators.with(authenticator)] });
`;
const written = await writePackage(t, { name: 'persons', dependencies: ['core', 'auth', 'tenant'], index });
const box = await createTestBox(t, { ...written, database: 'empty' });

const token = (name: string, slug = box.slug) => `mbr_${slug}_${name}`;
const bearer = (name: string, slug?: string) => ({ authorization: `Bearer ${token(name, slug)}` });
const cookie = (name: string) => ({ cookie: `member=${token(name)}` });
const at = async (path: string, headers: Record<string, string>, caller: Caller = box.visitor()) => {
  const { status, body } = await caller.get(path, { headers });
  return [status, status === 200 ? body.memberId : body.code];
};

t.test('a member is authenticated by bearer token or cookie; a guest is not a member', async (t) => {
  for (const path of ['/who', '/me']) {
    t.strictSame(await at(path, bearer('ada')), [200, ada], path);
    t.strictSame(await at(path, cookie('ada')), [200, ada], path);
    t.strictSame(await at(path, { ...bearer('ada'), ...cookie('bob') }), [200, ada], 'the bearer token has precedence');
  }
  t.strictSame(await at('/who', {}), [200, null]);
  t.strictSame(await at('/me', {}), [401, 'unauthenticated']);
  const { headers } = await box.visitor().post('/who');
  const session = { 'x-session-id': headers.get('x-session-id') as string };
  t.strictSame(await at('/me', session), [401, 'unauthenticated'], 'a session is not a member');
  const both = await box.visitor().get('/who', { headers: { ...bearer('ada'), ...session } });
  t.strictSame(both.body, { memberId: ada, hasSession: true });
});

t.test('an invalid bearer token is refused; an expired cookie makes a guest', async (t) => {
  const other = await box.openTenant();
  for (const path of ['/who', '/me']) {
    for (const headers of [bearer('eve'), bearer('ada', other.slug), { authorization: 'Bearer nonsense' }]) {
      t.strictSame(await at(path, headers), [401, 'unauthenticated'], `${path} ${headers.authorization}`);
    }
    t.strictSame(await at(path, { ...bearer('eve'), ...cookie('ada') }), [401, 'unauthenticated'], path);
    t.strictSame(await at(path, { authorization: box.staff.headers.authorization as string }), [
      401,
      'unauthenticated',
    ]);
  }
  t.strictSame(await at('/who', cookie('eve')), [200, null]);
  t.strictSame(await at('/me', cookie('eve')), [401, 'unauthenticated']);
  t.strictSame(await at('/who', { authorization: 'Basic c3RhZ2U6b3Blbg==' }), [200, null], 'added by a browser');
  t.strictSame(await at('/me', bearer('ada', other.slug), other.visitor()), [200, ada]);
});

t.test('the cross-site check applies to cookies, not to bearer tokens', async (t) => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const post = async (headers: Record<string, string>) =>
    (await box.visitor().post('/who', undefined, { headers: { ...foreign, ...headers } })).status;
  t.equal(await post(bearer('ada')), 200);
  t.equal(await post({ ...bearer('ada'), ...cookie('ada') }), 200);
  t.equal(await post(cookie('ada')), 403);
  t.equal(await post({ ...cookie('ada'), authorization: 'Basic c3RhZ2U6b3Blbg==' }), 403);
});

t.test('the document has the security schemes of members', async (t) => {
  const document = (await box.visitor().get('/docs/json')).body;
  const { securitySchemes } = document.components;
  t.match(securitySchemes.memberToken, { type: 'http', scheme: 'bearer' });
  t.match(securitySchemes.memberCookie, { type: 'apiKey', in: 'cookie', name: 'member' });
  const member = [{ memberToken: [] }, { memberCookie: [] }];
  t.strictSame(document.paths['/me'].get.security, member);
  t.strictSame(document.paths['/who'].get.security, [{ sessionCookie: [] }, { sessionHeader: [] }, ...member, {}]);
  t.ok('401' in document.paths['/who'].get.responses);
  const without = await createTestBox(t, { packages: ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`) });
  t.notOk('memberToken' in ((await without.box.document()).components as typeof document.components).securitySchemes);
});
