/**
 * The files of invoices: who gets them, under which names, and that they are the same each time.
 */
import { newId } from '@carton/runtime';
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { brokenRules } from './en16931.ts';
import { credit, draftOf, eur, issue, openBox, place, placeTaxed, setInvoices } from './helpers.ts';

const box = await openBox(t);
const pathOf = (id: string, format: string) => `/admin/invoices/${id}/files/${format}`;

t.test('staff download an invoice and its credit note in UBL', async (t) => {
  const { id } = await bodyOf(issue(box, (await placeTaxed(box)).id));
  const note = (await bodyOf(credit(box, id, { amount: eur(1000), reason: 'Late' }))).id;
  const file = await box.staff.get(pathOf(id, 'ubl'));
  t.equal(file.status, 200);
  t.equal(file.headers.get('content-type'), 'application/xml; charset=utf-8');
  t.equal(file.headers.get('content-disposition'), 'attachment; filename="INV-1.xml"');
  t.equal(file.headers.get('cache-control'), 'private, no-store');
  t.strictSame(brokenRules(String(file.body)), []);
  t.match(String(file.body), '<cbc:PayableAmount currencyID="EUR">41.24</cbc:PayableAmount>');
  const etag = file.headers.get('etag') as string;
  t.match(await box.staff.get(pathOf(id, 'ubl'), { headers: { 'If-None-Match': etag } }), { status: 304 });
  const credited = await box.staff.get(pathOf(note, 'ubl'));
  t.equal(credited.headers.get('content-disposition'), 'attachment; filename="CN-1.xml"');
  t.strictSame(brokenRules(String(credited.body)), []);
  await bodyOf(box.staff.patch('/admin/store', { name: 'Another', legalName: 'Another', vatNumber: 'DE123456788' }));
  t.equal((await box.staff.get(pathOf(id, 'ubl'))).headers.get('etag'), etag, 'changes of the store change nothing');
  await setInvoices(box, { legalName: 'Demo Store SAS', vatNumber: 'FR40303265045' });
});

t.test('what cannot be said is 409; what is not there 404', async (t) => {
  const { id } = await bodyOf(issue(box, (await place(box, draftOf(1000))).id));
  t.match(await box.staff.get(pathOf(id, 'ubl')), { status: 409, body: { code: 'electronic_invoice_not_possible' } });
  t.match(await box.staff.get(pathOf(newId(), 'ubl')), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.get(pathOf(id, 'docx')), { status: 404 });
});

t.test("another store's invoice is unknown, and files are for staff who read invoices", async (t) => {
  const { id } = await bodyOf(issue(box, (await placeTaxed(box)).id));
  const other = await box.openTenant();
  t.match(await other.staff.get(pathOf(id, 'ubl')), { status: 404 });
  t.match(await box.visitor().get(pathOf(id, 'ubl')), { status: 401 });
});

t.test('shoppers who ask for the PDF again and again do not keep it from staff', async (t) => {
  const order = await placeTaxed(box);
  const { id } = await bodyOf(issue(box, order.id));
  const visitor = box.visitor();
  const asked = Array.from({ length: 30 }, () => visitor.get(`/checkout/${order.id}/invoice/pdf`));
  // From the first refusal on, all places that they have are taken.
  await new Promise<void>((resolve) => {
    for (const each of asked) void each.then(({ status }) => status === 503 && resolve());
  });
  const staff = await Promise.all([1, 2, 3].map(() => box.staff.get(pathOf(id, 'pdf'))));
  t.strictSame(new Set(staff.map(({ status }) => status)), new Set([200]));
  const answers = await Promise.all(asked);
  t.strictSame([...new Set(answers.map(({ status }) => status))].sort(), [200, 503]);
  const refused = answers.find(({ status }) => status === 503);
  t.equal(refused?.headers.get('retry-after'), '5');
});
