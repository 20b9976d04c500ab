/**
 * Texts as forms and keyboards send them: empty filters of pages, a + that became a space, other encodings than UTF-8,
 * handles in other scripts, and characters that nobody sees.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { accessKindsOf } from '../../runtime/http/route.ts';

const box = await createTestBox(t, { idleJobs: true });
const { staff } = box;
const visitor = box.visitor();
const shown = await bodyOf(staff.post('/admin/products', { title: 'Shown', tags: ['new'], status: 'published' }));
await bodyOf(staff.post('/admin/products', { title: 'Draft' }));

t.test('an empty filter of a public list is none, and shows nothing more', async (t) => {
  const all = await bodyOf(visitor.get('/products'));
  t.equal(all.items.length, 1);
  for (const query of [
    'q=',
    'tag=',
    'sort=',
    'limit=',
    'cursor=',
    'q=&tag=&sort=',
    'tag=&tag=new',
    'locale=&currency=',
  ])
    t.strictSame(await bodyOf(visitor.get(`/products?${query}`)), all, query);
  for (const { declaration } of box.box.routes) {
    const { method, path, query } = declaration;
    const isPublic = accessKindsOf(declaration).every((kind) => kind === 'public' || kind === 'session');
    if (method !== 'get' || !isPublic || path.includes(':') || !query) continue;
    const { properties, required = [] } = query as unknown as {
      properties: Record<string, { default?: unknown }>;
      required?: string[];
    };
    for (const name of Object.keys(properties)) {
      const { status } = await visitor.get(`${path}?${name}=`);
      if (required.includes(name) && properties[name]?.default === undefined) t.equal(status, 400, `${path}?${name}=`);
      else t.strictSame(status, (await visitor.get(path)).status, `${path}?${name}=`);
    }
  }
  for (const query of ['q=', 'status=', 'limit='])
    t.match(await staff.get(`/admin/products?${query}`), { status: 400 });
});

t.test('a time may have a space where its + was not encoded', async (t) => {
  const times = '/admin/orders?placedFrom=2026-11-26T21:00:00';
  for (const offset of ['+00:00', '%2B05:30', '-05:00', 'Z'])
    t.match(await staff.get(times + offset), { status: 200 }, offset);
  for (const offset of ['', '++00:00', '%2000', '+0000']) t.match(await staff.get(times + offset), { status: 400 });
});

t.test('a parameter that is not in UTF-8 is refused, but no mark of a campaign', async (t) => {
  for (const query of ['q=%E4pfel', 'q=a%FF', 'q=%C3', 'q=%ED%A0%80'])
    t.match(await visitor.get(`/products?${query}`), {
      status: 400,
      body: { errors: exactly([{ in: 'query', pointer: '/q', detail: 'must be percent-encoded in UTF-8' }]) },
    });
  for (const query of ['q=%C3%A4pfel', 'q=100%', 'q=%zz%C3%A4', 'utm_campaign=%E4pfel'])
    t.match(await visitor.get(`/products?${query}`), { status: 200 }, query);
});

t.test('a handle in another script is written as a title in it', async (t) => {
  const path = `/admin/products/${shown.id}`;
  for (const [sent, stored] of [
    ['løno', 'lono'],
    ['日本', 'ri-ben'],
    ['قميص', /^[a-z]+$/],
    ['Été Chaud', 'ete-chaud'],
  ] as const) {
    const { status, body } = await staff.patch(path, { handle: sent });
    t.match({ status, handle: body.handle }, { status: 200, handle: stored }, sent);
  }
  for (const handle of ['My Handle', 'a--b', '-', '—', '0198f5a2-7c1e-7000-8000-000000000000'])
    t.match(await staff.patch(path, { handle }), {
      status: 400,
      body: { errors: exactly([{ pointer: '/handle', detail: /^must be a handle: small letters from a to z/ }]) },
    });
});

t.test('a title of characters that nobody sees is blank', async (t) => {
  for (const title of ['\u200b', ' \ufeff\u202e ', '\u2066\u2069'])
    t.match(await staff.post('/admin/products', { title }), { status: 400 }, JSON.stringify(title));
  t.match(await staff.post('/admin/products', { title: '\u{1f468}\u200d\u{1f373} apron' }), { status: 201 });
});

t.test('a path of a redirect has single slashes, however it is requested', async (t) => {
  await bodyOf(staff.post('/admin/redirects', { path: '/test', target: '/new' }));
  for (const path of ['/test', '//test', '///test/'])
    t.match(await visitor.get(`/redirects/resolve?${new URLSearchParams({ path })}`), { status: 200 }, path);
  for (const target of ['//evil.example', '/\\evil.example'])
    t.match(await staff.post('/admin/redirects', { path: '/other', target }), { status: 400 }, target);
});
