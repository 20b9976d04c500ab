/**
 * The whole life of a digital good: uploaded, bought without shipping, paid, mailed, downloaded, mailed again, refunded.
 */
import { startMailServer } from '@carton/notification/testing';
import { bodyOf, createTestBox, exactly, until, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle, download, grantsOf, packages, pay, refund } from './helpers.ts';

const server = await startMailServer();
const box = await createTestBox(t, {
  packages: [...packages, '@carton/notification'],
  tier: 'basic',
  environment: server.environment,
});
t.teardown(() => server.stop());
await bodyOf(box.operator.post(`/admin/tenants/${box.id}/domains`, { host: 'store.example' }));
await bodyOf(box.staff.patch('/admin/store', { checkoutRequires: ['name', 'address'] }));

/** The paths of the links in the n-th mail about downloads, by file. */
async function mailedLinks(number: number): Promise<Record<string, string>> {
  const mails = await until(
    () => server.mails.filter(({ subject }) => subject.startsWith('Your downloads')),
    (found) => found.length >= number,
  );
  const text = mails[number - 1]?.text ?? '';
  const links = [...text.matchAll(/^(\S+) \(0\.1 kB\)\nhttps:\/\/store\.example(\/downloads\/dwn_\S+)$/gm)];
  return Object.fromEntries(links.map(([, name, path]) => [name, path]));
}

t.test('a digital good from its upload to its refund', async (t) => {
  const variantId = await createArticle(box, 'book.epub', 'book.pdf');
  await bodyOf(box.staff.patch(`/admin/variants/${variantId}`, { requiresShipping: false }));
  const shopper = box.shopper();
  await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const { id, items } = await bodyOf(shopper.post('/checkout', { customer }));
  t.strictSame(await grantsOf(box, id), []);
  const payment = await pay(box, id, 1000);

  const first = await mailedLinks(1);
  t.strictSame(Object.keys(first), ['book.epub', 'book.pdf']);
  t.match(server.mails.at(-1), { to: 'ada@example.com' });
  t.match(await download(box, first['book.epub'] as string), { status: 200, text: 'content of book.epub' });
  t.match(await download(box, first['book.pdf'] as string, { range: 'bytes=0-6' }), { status: 206, text: 'content' });
  await untilDelivered(box);
  const { body: notifications } = await box.staff.get(`/admin/notifications?resourceId=${id}&limit=100`);
  const sent = notifications.items.filter(({ template }: { template: string }) => template.startsWith('download'));
  t.match(sent, exactly([{ status: 'sent', subject: null }]));

  t.equal((await box.staff.post(`/admin/orders/${id}/downloads/send`)).status, 202);
  const second = await mailedLinks(2);
  t.equal((await download(box, first['book.epub'] as string)).status, 404);
  t.equal((await download(box, second['book.epub'] as string)).status, 200);
  t.match(await grantsOf(box, id), exactly([{ downloadCount: 2 }, { downloadCount: 1 }]));

  await refund(box, payment, { items: [{ lineItemId: items[0].id, quantity: 1 }] });
  t.match(await grantsOf(box, id), exactly([{ state: 'ended' }, { state: 'ended' }]));
  for (const path of Object.values(second)) {
    t.match(await download(box, path), { status: 410, code: 'download_ended' });
  }
  t.equal((await box.staff.post(`/admin/orders/${id}/downloads/send`)).status, 409);
  t.equal(server.mails.filter(({ subject }) => subject.startsWith('Your downloads')).length, 2);
});
