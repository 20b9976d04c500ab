/**
 * Pages: what staff publish, and what shoppers see of it.
 */
import { bodyOf, payloadsOf, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { announcePages } from '../pages/service.ts';
import { createPage, openBox, unknownId } from './helpers.ts';

const box = await openBox(t, { idleJobs: true });
const { staff } = box;
const visitor = box.visitor();
const hour = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
const setTime = (id: string, time: string) =>
  box.owner.query('update pages set publish_at = $2 where id = $1', [id, time]);

t.test('shoppers see a page once it is published, and no longer when it is withdrawn', async (t) => {
  const page = await createPage(box, { title: 'About us', content: '<p>We make shirts.</p>', seoTitle: 'Shirts' });
  t.match(page, { handle: 'about-us', status: 'draft', publishAt: null, publishedAt: null });
  const path = `/admin/pages/${page.id}`;
  t.match(await visitor.get('/pages/about-us'), { status: 404, body: { code: 'not_found' } });
  t.match(await visitor.get(`/pages/${page.id}`), { status: 404 });
  const published = await bodyOf(staff.patch(path, { status: 'published' }));
  t.type(published.publishedAt, 'string');
  const { status, body } = await visitor.get('/pages/about-us');
  t.equal(status, 200);
  t.strictSame(body, {
    id: page.id,
    handle: 'about-us',
    title: 'About us',
    content: '<p>We make shirts.</p>',
    seoTitle: 'Shirts',
    seoDescription: null,
    publishedAt: published.publishedAt,
    updatedAt: published.updatedAt,
  });
  t.strictSame((await visitor.get(`/pages/${page.id}`)).body, body);
  t.match(await staff.patch(path, { status: 'draft' }), { status: 200, body: { publishedAt: null } });
  t.match(await visitor.get('/pages/about-us'), { status: 404 });
  await bodyOf(staff.patch(path, { status: 'published' }));
  t.match(await staff.delete(path), { status: 204 });
  t.match(await visitor.get('/pages/about-us'), { status: 404 });
  t.match(await staff.get(path), { status: 404 });
});

t.test('a scheduled page is invisible until its time, and its event is written then, once', async (t) => {
  const tenant = await box.openTenant();
  const page = await createPage(tenant, { title: 'Sale', status: 'published', publishAt: inHours(1) });
  t.equal(page.publishedAt, null);
  t.match(await tenant.visitor().get('/pages/sale'), { status: 404 });
  await announcePages(tenant.db);
  t.strictSame(await payloadsOf(tenant, { type: 'page.published' }), []);
  await setTime(page.id, inHours(-1));
  t.match(await tenant.visitor().get('/pages/sale'), { status: 200 }, 'visible even if the job is late');
  await announcePages(tenant.db);
  await announcePages(tenant.db);
  t.strictSame(await payloadsOf(tenant, { type: 'page.published' }), [{ handle: 'sale' }]);
  t.type((await tenant.visitor().get('/pages/sale')).body.publishedAt, 'string');
});

t.test('each time a page becomes visible is an event; other changes are none', async (t) => {
  const tenant = await box.openTenant();
  const draft = await createPage(tenant, { title: 'Offers', publishAt: inHours(-2) });
  const path = `/admin/pages/${draft.id}`;
  const count = async () => (await payloadsOf(tenant, { type: 'page.published' })).length;
  const change = async (patch: object) => {
    await bodyOf(tenant.staff.patch(path, patch));
    return count();
  };
  t.equal(await count(), 0, 'a draft');
  t.equal(await change({ status: 'published' }), 1);
  t.equal(await change({ title: 'Other offers' }), 1);
  t.equal(await change({ publishAt: inHours(-1) }), 1);
  t.equal(await change({ publishAt: inHours(1) }), 1);
  t.match(await tenant.visitor().get('/pages/offers'), { status: 404 }, 'postponed');
  t.equal(await change({ publishAt: null }), 2);
  t.equal(await change({ status: 'draft' }), 2);
  t.equal(await change({ status: 'published' }), 3);
});

t.test('several workers announce each page once, and one that dies leaves its pages to the others', async (t) => {
  const tenant = await box.openTenant();
  for (let round = 0; round < raceRounds; round++) {
    const title = `Round ${round}`;
    const pages = await Promise.all(
      ['A', 'B', 'C'].map((name) =>
        createPage(tenant, { title: `${title} ${name}`, status: 'published', publishAt: inHours(1) }),
      ),
    );
    for (const { id } of pages) await setTime(id, inHours(-1));
    const died = tenant.db.transaction(async (tx) => {
      await announcePages(tx);
      throw new Error('killed');
    });
    await t.rejects(died, { message: 'killed' });
    await Promise.all([announcePages(tenant.db), announcePages(tenant.db), announcePages(tenant.db)]);
    await announcePages(tenant.db);
    const published = await payloadsOf<{ handle: string }>(tenant, { type: 'page.published' });
    const announced = published.map(({ handle }) => handle).filter((handle) => handle.startsWith(`round-${round}-`));
    t.strictSame(
      announced.toSorted(),
      ['a', 'b', 'c'].map((name) => `round-${round}-${name}`),
    );
  }
});

t.test('a page that is withdrawn while it is announced is a draft', async (t) => {
  const tenant = await box.openTenant();
  for (let round = 0; round < raceRounds; round++) {
    const page = await createPage(tenant, { title: 'Race', status: 'published', publishAt: inHours(1) });
    await setTime(page.id, inHours(-1));
    const path = `/admin/pages/${page.id}`;
    await Promise.all([announcePages(tenant.db), bodyOf(tenant.staff.patch(path, { status: 'draft' }))]);
    t.match(await tenant.staff.get(path), { body: { status: 'draft', publishedAt: null } });
  }
});

t.test('handles are unique in a store', async (t) => {
  const tenant = await box.openTenant();
  const first = await createPage(tenant, { title: 'Contact' });
  t.equal((await createPage(tenant, { title: 'Contact' })).handle, 'contact-2');
  const taken = { status: 409, body: { code: 'page_handle_taken' } };
  t.match(await tenant.staff.post('/admin/pages', { title: 'Other', handle: 'contact' }), taken);
  t.match(await tenant.staff.patch(`/admin/pages/${first.id}`, { handle: 'contact-2' }), taken);
  t.equal((await createPage(await box.openTenant(), { title: 'Contact' })).handle, 'contact', 'of another store');
  const handles = await Promise.all(
    Array.from({ length: 4 }, async () => (await createPage(tenant, { title: 'Same' })).handle),
  );
  t.strictSame(handles.toSorted(), ['same', 'same-2', 'same-3', 'same-4']);
});

t.test('staff list pages by handle and status', async (t) => {
  const tenant = await box.openTenant();
  await createPage(tenant, { title: 'A' });
  await createPage(tenant, { title: 'B', status: 'published' });
  await createPage(tenant, { title: 'C' });
  const titles = async (query: string) =>
    (await bodyOf(tenant.staff.get(`/admin/pages?${query}`))).items
      .map(({ title }: { title: string }) => title)
      .join('');
  t.equal(await titles(''), 'CBA');
  t.equal(await titles('status=draft'), 'CA');
  t.equal(await titles('status=published'), 'B');
  t.equal(await titles('handle=a'), 'A');
  t.match(await tenant.staff.get('/admin/pages?status=hidden'), { status: 400 });
});

t.test('a page belongs to one tenant', async (t) => {
  const other = await box.openTenant();
  const { id } = await createPage(other, { title: 'Private matters', status: 'published' });
  t.match(await visitor.get('/pages/private-matters'), { status: 404 });
  t.match(await visitor.get(`/pages/${id}`), { status: 404 });
  t.match(await staff.get(`/admin/pages/${id}`), { status: 404 });
  t.match(await staff.patch(`/admin/pages/${id}`, { title: 'Mine' }), { status: 404 });
  t.match(await staff.delete(`/admin/pages/${id}`), { status: 404 });
  t.match(await staff.get(`/admin/pages/${unknownId}`), { status: 404 });
  t.match(await other.visitor().get('/pages/private-matters'), { status: 200, body: { title: 'Private matters' } });
});

t.test('a long page is sanitised like a short one, and changed with a precondition', async (t) => {
  const written = `<p onclick="x()">We make shirts.</p>${'<b>x</b>'.repeat(10_000)}<script>alert(1)</script>`;
  const content = `<p>We make shirts.</p>${'<b>x</b>'.repeat(10_000)}`;
  const page = await createPage(box, { title: 'Long', content: written });
  t.equal(page.content, content);
  const path = `/admin/pages/${page.id}`;
  const etag = (await staff.get(path)).headers.get('etag') ?? '';
  const changed = await staff.patch(path, { content: `${written}<i>x</i>` }, { headers: { 'if-match': etag } });
  t.match(changed, { status: 200, body: { content: `${content}<i>x</i>` } });
});
