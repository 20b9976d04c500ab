/**
 * Downloads of members, and grants for staff of their own store only.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { buy, createArticle, download, grantsOf, order, packages, pay, refund, unknownId } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();
const [member, otherMember] = [await createMember(box), await createMember(box)];
const book = await createArticle(box, 'book.epub');

t.test('members list and download the files of their own orders', async (t) => {
  const placed = await order(box, [[book, 1]], member);
  const path = `/member/orders/${placed.id}/downloads`;
  t.match(await member.get(path), { status: 200, body: { items: exactly([]) } });
  const payment = await pay(box, placed.id, 1000);
  const [grant] = await grantsOf(box, placed.id);
  const url = `/member/downloads/${grant?.id}`;
  const shown = {
    ...{ id: grant?.id, lineItemId: placed.items[0]?.id, fileName: 'book.epub', size: 20, state: 'available' },
    ...{ downloadCount: 0, maxDownloads: 10, expiresAt: null, url },
  };
  t.strictSame((await member.get(path)).body, { items: [shown] });
  t.match(await download(box, url, { headers: member.headers }), { status: 200, text: 'content of book.epub' });
  t.strictSame((await member.get(path)).body, { items: [{ ...shown, downloadCount: 1 }] });

  const guest = await buy(box, book);
  const guestUrl = `/member/downloads/${guest.grants[0]?.id}`;
  t.match(await otherMember.get(path), { status: 404, body: { code: 'not_found' } });
  t.match(await member.get(`/member/orders/${guest.id}/downloads`), { status: 404 });
  for (const [caller, address] of [
    [otherMember, url],
    [member, guestUrl],
    [member, `/member/downloads/${unknownId}`],
  ] as const) {
    t.match(await download(box, address, { headers: caller.headers }), { status: 404, code: 'not_found' });
  }
  t.equal((await download(box, url)).status, 401);

  await refund(box, payment, {});
  await grantsOf(box, placed.id);
  t.match(await member.get(path), { body: { items: exactly([{ state: 'ended', url: null }]) } });
  t.match(await download(box, url, { headers: member.headers }), { status: 410, code: 'download_ended' });
  t.match(await box.staff.patch(`/admin/download-grants/${grant?.id}`, { ended: false }), {
    status: 409,
    body: { code: 'download_grant_closed' },
  });
});

t.test('staff see grants of their store only', async (t) => {
  const { id, grants } = await buy(box, book);
  const path = `/admin/download-grants/${grants[0]?.id}`;
  t.strictSame((await bodyOf(box.staff.get(path))).state, 'available');
  for (const call of [
    other.staff.get(path),
    other.staff.patch(path, { maxDownloads: null }),
    other.staff.get(`/admin/orders/${id}/downloads`),
    other.staff.post(`/admin/orders/${id}/downloads/send`),
  ]) {
    t.match(await call, { status: 404, body: { code: 'not_found' } });
  }
  const { headers } = await box.staff.get(path);
  const stale = { headers: { 'if-match': headers.get('etag') as string } };
  t.equal((await box.staff.patch(path, { maxDownloads: 3 }, stale)).status, 200);
  t.equal((await box.staff.patch(path, { maxDownloads: 4 }, stale)).status, 412);
});
