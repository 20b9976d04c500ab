/**
 * Hosts of a store: adding one loads the list of public suffixes.
 */
import { exactly } from '@carton/runtime/testing';
import { subject } from '../subject.ts';

subject('hosts', async (t, { operator, openTenant }) => {
  const store = await openTenant();
  const path = `/admin/tenants/${store.id}/domains`;

  await t.test('a host is added, found and removed', async (t) => {
    const host = `shop.${store.slug}.example`;
    const added = await operator.post(path, { host });
    t.match(added, { status: 201, body: { host } }, 'added');
    t.match(await operator.get(path), { status: 200, body: { items: exactly([{ host }]) } }, 'listed');
    t.equal((await operator.delete(`${path}/${added.body.id}`)).status, 204, 'removed');
  });

  await t.test('a public suffix is refused', async (t) => {
    for (const host of ['co.uk', 'github.io', '*.com']) {
      t.match(await operator.post(path, { host }), { status: 400, body: { code: 'invalid_request' } }, host);
    }
  });
});
