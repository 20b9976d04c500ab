/**
 * Deletion of invoices that tax law no longer requires.
 */
import { newId } from '@carton/runtime';
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { deleteOldInvoices } from '../retention/service.ts';
import { credit, draftOf, eur, issue, openBox, place, setInvoices } from './helpers.ts';

const box = await openBox(t, { idleJobs: true });
const year = new Date().getUTCFullYear();
const numbers = async () =>
  (
    await box.owner.query<{ number: string }>('select number from invoices where tenant_id = $1 order by number', [
      box.id,
    ])
  ).map(({ number }) => number);
const setTimeZone = (timeZone: string) => bodyOf(box.staff.patch('/admin/store', { timeZone }));

/**
 * Inserts an invoice that was issued at a time, with a balance, as a copy of a new one; or a credit note.
 * @param corrects id of the invoice, of a credit note
 */
async function insertAt(number: string, time: string, corrects: { id: string; orderId: string } | null = null) {
  const orderId = corrects?.orderId ?? (await place(box, draftOf(1000))).id;
  const id = newId();
  await box.owner.query(
    `insert into invoices select (jsonb_populate_record(invoices, jsonb_build_object(
       'id', $2::uuid, 'number', $3::text, 'series', 'old', 'sequence', floor(random() * 1e12), 'order_id', $4::uuid, 'created_at', $5::timestamptz,
       'invoice_id', $6::uuid, 'kind', case when $6::uuid is null then 'invoice' else 'credit_note' end))).*
       from invoices where tenant_id = $1 and number = 'INV-1'`,
    [box.id, id, number, orderId, time, corrects?.id ?? null],
  );
  if (!corrects) {
    await box.owner.query(
      'insert into invoice_balances (tenant_id, invoice_id, order_id, total_amount) values ($1, $2, $3, 1000)',
      [box.id, id, orderId],
    );
  }
  return { id, orderId };
}

await bodyOf(issue(box, (await place(box, draftOf(1000))).id));

t.test('ten years after the end of the year of issue, invoices are deleted', async (t) => {
  await setTimeZone('UTC');
  await insertAt('A-kept', `${year - 10}-01-01T00:00:00Z`);
  await insertAt('A-old', `${year - 11}-12-31T23:59:59Z`);
  const { id } = await insertAt('A-older', `${year - 30}-06-01T00:00:00Z`);
  await deleteOldInvoices(box.db);
  t.strictSame(await numbers(), ['A-kept', 'INV-1']);
  t.equal((await box.staff.get(`/admin/invoices/${id}`)).status, 404);
  const balances = await box.owner.query('select from invoice_balances where tenant_id = $1', [box.id]);
  t.equal(balances.length, 2);
});

t.test('a year ends in the time zone of the store, and in UTC', async (t) => {
  for (const [timeZone, at] of [
    ['Asia/Tokyo', `${year - 11}-12-31T15:00:00Z`],
    ['America/New_York', `${year - 10}-01-01T04:59:59Z`],
  ] as const) {
    await setTimeZone(timeZone);
    const number = `B-${timeZone}`;
    await insertAt(number, at);
    await deleteOldInvoices(box.db);
    t.ok((await numbers()).includes(number), timeZone);
  }
  await setTimeZone('Asia/Tokyo');
  await insertAt('B-old', `${year - 11}-12-31T14:59:59Z`);
  await deleteOldInvoices(box.db);
  t.notOk((await numbers()).includes('B-old'));
  await setTimeZone('UTC');
});

t.test('an invoice stays as long as its last credit note, then both go', async (t) => {
  const before = await numbers();
  const kept = await insertAt('C-invoice', `${year - 12}-01-01T00:00:00Z`);
  await insertAt('C-note', `${year - 12}-02-01T00:00:00Z`, kept);
  await insertAt('C-newer', `${year - 10}-02-01T00:00:00Z`, kept);
  const old = await insertAt('D-invoice', `${year - 12}-01-01T00:00:00Z`);
  await insertAt('D-note', `${year - 11}-02-01T00:00:00Z`, old);
  await deleteOldInvoices(box.db);
  t.strictSame(await numbers(), [...before, 'C-invoice', 'C-newer', 'C-note'].sort());
});

t.test('a store may keep them longer, not shorter', async (t) => {
  t.equal((await box.staff.patch('/admin/store', { settings: { invoice: { keepYears: 9 } } })).status, 400);
  await setInvoices(box, { keepYears: 12 });
  await insertAt('E-kept', `${year - 12}-01-01T00:00:00Z`);
  await insertAt('E-old', `${year - 13}-12-31T00:00:00Z`);
  await deleteOldInvoices(box.db);
  const left = await numbers();
  t.strictSame([left.includes('E-kept'), left.includes('E-old')], [true, false]);
  await setInvoices(box, { keepYears: 10 });
});

t.test('all batches of this store, none of another', async (t) => {
  const other = await box.openTenant();
  await setInvoices(other, { legalName: 'Other', address: 'Lyon' });
  const order = await place(other, draftOf(1000));
  await bodyOf(issue(other, order.id));
  await box.owner.query('alter table invoices disable trigger invoices_immutable');
  await box.owner.query("update invoices set created_at = '2001-01-01' where tenant_id = $1", [other.id]);
  await box.owner.query('alter table invoices enable trigger invoices_immutable');
  const before = (await numbers()).filter((number) => number !== 'E-kept');
  for (let at = 0; at < 5; at++) await insertAt(`F-${at}`, `${year - 20}-01-01T00:00:00Z`);
  await deleteOldInvoices(box.db, 2);
  t.strictSame(await numbers(), before);
  const count = () => box.owner.query('select from invoices where tenant_id = $1', [other.id]);
  t.equal((await count()).length, 1);
  await deleteOldInvoices(other.db);
  t.equal((await count()).length, 0);
  const again = await place(other, draftOf(1000));
  t.match(await bodyOf(issue(other, again.id)), { number: 'INV-2' }, 'numbers are not used again');
});

t.test('a credit note that is issued meanwhile keeps its invoice', async (t) => {
  for (let round = 0; round < 10; round++) {
    const { id } = await insertAt(`G-${round}`, `${year - 20}-01-01T00:00:00Z`);
    const [answer] = await Promise.all([credit(box, id, { amount: eur(100) }), deleteOldInvoices(box.db)]);
    const isLeft = (await numbers()).includes(`G-${round}`);
    t.equal(isLeft, answer.status === 201, `${answer.status}`);
  }
});
