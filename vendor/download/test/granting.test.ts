/**
 * Grants follow their orders: made once when the order is paid in full, ended by refunds and cancellations.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { followPayment, followRefunds } from '../grants/follow.ts';
import {
  buy,
  createArticle,
  download,
  eur,
  grantsOf,
  order,
  packages,
  pay,
  refund,
  summaryOf,
  timelineOf,
  tokensOf,
  upload,
} from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const book = await createArticle(box, 'book.epub', 'book.pdf');
const song = await createArticle(box, 'song.mp3');
const mug = await createArticle(box);

const follow = (orderId: string) => box.db.transaction((tx) => followPayment(tx, orderId, new Date().toISOString()));
const setDownloads = (values: object) => bodyOf(box.staff.patch('/admin/store', { settings: { download: values } }));

t.test('an order that is paid in full has each file of each line, once', async (t) => {
  const placed = await order(box, [
    [book, 2],
    [song, 1],
    [mug, 1],
  ]);
  await pay(box, placed.id, 3999);
  t.strictSame(await summaryOf(box, placed.id), [], 'not all is paid');
  await pay(box, placed.id, 1);
  const granted = await grantsOf(box, placed.id);
  t.strictSame(
    granted.map(({ lineItemId, fileName }) => [placed.items.findIndex(({ id }) => id === lineItemId), fileName]),
    [
      [0, 'book.epub'],
      [0, 'book.pdf'],
      [1, 'song.mp3'],
    ],
  );
  t.match(granted[0], { state: 'available', downloadCount: 0, maxDownloads: 10, expiresAt: null, endedBy: null });
  t.strictSame(await timelineOf(box, placed.id), ['Downloads granted: book.epub, book.pdf, song.mp3']);
  await follow(placed.id);
  await follow(box.id);
  t.strictSame(await grantsOf(box, placed.id), granted, 'repeated');
});

t.test('an order with nothing to pay has its files at once', async (t) => {
  const free = await createArticle(box, 'free.txt');
  await bodyOf(box.staff.put(`/admin/variants/${free}/prices`, { prices: [{ currency: 'EUR', amount: 0 }] }));
  const { id } = await order(box, [[free, 1]]);
  t.strictSame(await summaryOf(box, id), ['available free.txt']);
});

t.test('the settings of the store are those of the time of the grant', async (t) => {
  await setDownloads({ maxDownloads: null, validDays: 2 });
  const { grants } = await buy(box, song);
  await setDownloads({ maxDownloads: 3, validDays: null });
  const later = await buy(box, song);
  await setDownloads({ maxDownloads: 10 });
  t.match(later.grants, exactly([{ maxDownloads: 3, expiresAt: null }]));
  t.match(grants, exactly([{ maxDownloads: null }]));
  const [{ expiresAt, createdAt }] = grants as unknown as [{ expiresAt: string; createdAt: string }];
  const hours = (Date.parse(expiresAt) - Date.parse(createdAt)) / 3_600_000;
  t.ok(hours > 47.9 && hours < 48.1, `${hours}`);
});

t.test('a refund of all units of a line ends its files, one of some units does not', async (t) => {
  const placed = await order(box, [
    [book, 2],
    [song, 1],
  ]);
  const payment = await pay(box, placed.id, 3000);
  const open = ['available book.epub', 'available book.pdf', 'available song.mp3'];
  t.strictSame(await summaryOf(box, placed.id), open);
  const unit = { items: [{ lineItemId: placed.items[0]?.id, quantity: 1 }] };
  await refund(box, payment, unit);
  t.strictSame(await summaryOf(box, placed.id), open);
  await refund(box, payment, { amount: eur(100) });
  t.strictSame(await summaryOf(box, placed.id), open, 'an amount');
  await refund(box, payment, unit);
  const left = ['ended book.epub', 'ended book.pdf', 'available song.mp3'];
  t.strictSame(await summaryOf(box, placed.id), left);
  await refund(box, payment, {});
  t.strictSame(await summaryOf(box, placed.id), ['ended book.epub', 'ended book.pdf', 'ended song.mp3'], 'all of it');
  t.strictSame(
    (await grantsOf(box, placed.id)).map(({ endedBy }) => endedBy),
    ['refund', 'refund', 'refund'],
  );
  t.strictSame(await timelineOf(box, placed.id), [
    'Downloads granted: book.epub, book.pdf, song.mp3',
    'Downloads ended: refund',
    'Downloads ended: refund',
  ]);
  await follow(placed.id);
  t.strictSame(await summaryOf(box, placed.id), ['ended book.epub', 'ended book.pdf', 'ended song.mp3']);
});

t.test('units that are refunded after their price end the files too', async (t) => {
  const placed = await order(box, [
    [book, 1],
    [song, 1],
  ]);
  const payment = await pay(box, placed.id, 2000);
  const lineItemId = placed.items[1]?.id;
  await refund(box, payment, { items: [{ lineItemId, amount: eur(1000) }] });
  t.strictSame(await summaryOf(box, placed.id), ['available book.epub', 'available book.pdf', 'available song.mp3']);
  t.match(await refund(box, payment, { items: [{ lineItemId, quantity: 1 }] }), { amount: eur(0) });
  t.strictSame(await summaryOf(box, placed.id), ['available book.epub', 'available book.pdf', 'ended song.mp3']);
});

t.test('a cancellation ends all files, and their links', async (t) => {
  const { id } = await buy(box, song);
  const { 'song.mp3': token } = await tokensOf(box, id);
  t.equal((await download(box, `/downloads/${token}`)).status, 200);
  await bodyOf(box.staff.post(`/admin/orders/${id}/cancel`));
  t.match(await grantsOf(box, id), exactly([{ state: 'ended', endedBy: 'cancellation' }]));
  t.match(await download(box, `/downloads/${token}`), { status: 410, code: 'download_ended' });
  const unpaid = await order(box, [[song, 1]]);
  await bodyOf(box.staff.post(`/admin/orders/${unpaid.id}/cancel`));
  t.strictSame(await summaryOf(box, unpaid.id), []);
});

t.test('a refund that fails opens the files again', async (t) => {
  const { id, payment, grants } = await buy(box, song);
  await refund(box, payment, {});
  t.strictSame(await summaryOf(box, id), ['ended song.mp3']);
  // As a provider reports it later.
  await box.db.query('delete from order_refund_items where tenant_id = $1 and order_id = $2', [id]);
  await box.db.query('update orders set refunded_amount = 0 where tenant_id = $1 and id = $2', [id]);
  await box.db.transaction((tx) => followRefunds(tx, id));
  t.match(await grantsOf(box, id), exactly([{ id: grants[0]?.id, state: 'available', endedBy: null, endedAt: null }]));
  t.equal((await timelineOf(box, id)).at(-1), 'Downloads are open again');
});

t.test('what staff have ended stays ended', async (t) => {
  const { id, payment, grants } = await buy(box, song);
  await bodyOf(box.staff.patch(`/admin/download-grants/${grants[0]?.id}`, { ended: true }));
  await follow(id);
  await refund(box, payment, { amount: eur(1) });
  t.match(await grantsOf(box, id), exactly([{ state: 'ended', endedBy: 'staff' }]));
  await refund(box, payment, {});
  t.match(await grantsOf(box, id), exactly([{ state: 'ended', endedBy: 'staff' }]));
});

t.test('files that are added later are for later orders', async (t) => {
  const guide = await createArticle(box, 'one.pdf');
  const bare = await createArticle(box);
  const placed = await order(box, [
    [guide, 1],
    [bare, 1],
  ]);
  const payment = await pay(box, placed.id, 2000);
  t.strictSame(await summaryOf(box, placed.id), ['available one.pdf']);
  const paidAt = new Date().toISOString();
  for (const variantId of [guide, bare]) await upload(box, variantId, 'two.pdf', 'two');
  await refund(box, payment, { amount: eur(1) });
  await box.db.transaction((tx) => followPayment(tx, placed.id, paidAt));
  t.strictSame(await summaryOf(box, placed.id), ['available one.pdf']);
  const { id } = await order(box, [[guide, 1]]);
  await pay(box, id, 1000);
  t.strictSame(await summaryOf(box, id), ['available one.pdf', 'available two.pdf']);
});
