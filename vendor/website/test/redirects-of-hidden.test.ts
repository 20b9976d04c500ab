/**
 * Redirects and the handles of what shoppers do not see.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { allOf, createPage, openBox, targetOf } from './helpers.ts';

const box = await openBox(t);

const kinds: { path: string; create: object; hide: object }[] = [
  { path: 'pages', create: { title: 'A', status: 'published' }, hide: { status: 'draft' } },
  { path: 'products', create: { title: 'A', status: 'published' }, hide: { status: 'draft' } },
  { path: 'categories', create: { name: 'A' }, hide: { visible: false } },
];
for (const { path, create: fields, hide } of kinds) {
  t.test(`one of the ${path} that shoppers do not see breaks no redirect`, async (t) => {
    const tenant = await box.openTenant();
    const add = (more: object) => bodyOf(tenant.staff.post(`/admin/${path}`, { ...fields, ...more }));
    const change = ({ id }: { id: string }, patch: object) => bodyOf(tenant.staff.patch(`/admin/${path}/${id}`, patch));
    const page = await add({ handle: 'old' });
    await change(page, { handle: 'new' });
    const holds = async (what: string) => t.equal(await targetOf(tenant, `/${path}/old`), `/${path}/new`, what);
    const hidden = await add({ handle: 'old', ...hide });
    await holds('created with the former handle');
    await change(hidden, { handle: 'other' });
    await change(hidden, { handle: 'old' });
    await holds('renamed to it');
    await change(hidden, { handle: 'third' });
    const shown = await add({ handle: 'shown' });
    await change(shown, { handle: 'old', ...hide });
    await holds('hidden as it was renamed');
  });
}

t.test('a page of tomorrow leaves no redirect, and one whose time has come does', async (t) => {
  const tenant = await box.openTenant();
  const publishAt = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const rename = (id: string, handle: string) => bodyOf(tenant.staff.patch(`/admin/pages/${id}`, { handle }));
  const tomorrow = await createPage(tenant, { title: 'A', status: 'published', publishAt: publishAt(86_400_000) });
  await rename(tomorrow.id, 'b');
  t.strictSame(await allOf(tenant), []);
  const now = await createPage(tenant, { title: 'C', status: 'published', publishAt: publishAt(86_400_000) });
  await box.owner.query("update pages set publish_at = now() - interval '1 second' where tenant_id = $1 and id = $2", [
    tenant.id,
    now.id,
  ]);
  await rename(now.id, 'd');
  t.strictSame(await allOf(tenant), ['/pages/c /pages/d'], 'before the job that announces it');
});
