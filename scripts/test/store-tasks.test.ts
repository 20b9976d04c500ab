/**
 * The open tasks of a store: each is there while its condition holds, in GET and PATCH /admin/store alike, and changes of
 * other resources that open or end one refuse no change of the store.
 */
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { type Answer, bodyOf, createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const path = '/admin/store';
const mailServer = { SMTP_HOST: '127.0.0.1', SMTP_PORT: '1', SMTP_TLS: 'none', MAIL_FROM: 'shop@example.com' };
const box = await createTestBox(t, { environment: mailServer, extends: [paymentAdapters.with(new TestProvider())] });
const codesIn = ({ body }: Answer): string[] => body.tasks.map(({ code }: { code: string }) => code);
const tasksOf = async ({ staff }: Pick<TestTenant, 'staff'>) => codesIn(await staff.get(path));

t.test('a store without a country whose sales depend on one has to set it', async (t) => {
  const create: Record<string, (store: TestTenant) => Promise<unknown>> = {
    regions: ({ staff }) => staff.post('/admin/regions', { name: 'Europe', currency: 'EUR', countries: ['FR', 'DE'] }),
    rates: ({ staff }) => staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'DE', rate: 19 }),
    zones: ({ staff }) => staff.post('/admin/shipping-zones', { name: 'DE', places: [{ country: 'DE' }] }),
  };
  for (const [name, use] of Object.entries(create)) {
    const store = await box.openTenant();
    t.strictSame(await tasksOf(store), [], 'nothing depends on it yet');
    await use(store);
    const { body } = await store.staff.get(path);
    t.strictSame(
      body.tasks,
      [
        {
          code: 'country_missing',
          detail:
            'Set the country of the store: sales without a country, also in their region, are not taxed, and are shipped only by options that are offered everywhere.',
        },
      ],
      name,
    );
    t.strictSame(codesIn(await store.staff.patch(path, { name: 'Renamed' })), ['country_missing']);
    t.strictSame(codesIn(await store.staff.patch(path, { country: 'DE' })), [], 'the change says so at once');
    t.strictSame(await tasksOf(store), []);
  }
  t.strictSame(await tasksOf(box), [], 'another store has its own');
});

t.test('a store that issues invoices by itself has to name the seller', async (t) => {
  const { staff } = await box.openTenant();
  const issueOn = (when: string) => ({ settings: { invoice: { issueOn: when } } });
  for (const when of ['payment', 'shipment']) {
    t.strictSame(codesIn(await staff.patch(path, issueOn(when))), ['invoice_seller_missing'], when);
  }
  t.strictSame(codesIn(await staff.patch(path, issueOn('manual'))), []);
  t.strictSame(codesIn(await staff.patch(path, issueOn('payment'))), ['invoice_seller_missing']);
  t.strictSame(codesIn(await staff.patch(path, { legalName: 'Store SAS' })), ['invoice_seller_missing']);
  t.strictSame(codesIn(await staff.patch(path, { address: '12 Rue des Lilas' })), []);
});

t.test('a store that has disabled all methods of its adapters has to enable one', async (t) => {
  const store = await box.openTenant();
  const { items } = await bodyOf(store.staff.get('/admin/payment-methods'));
  const set = (at: number, enabled: boolean) =>
    bodyOf(store.staff.patch(`/admin/payment-methods/${items[at].id}`, { enabled }));
  await set(0, false);
  t.strictSame(await tasksOf(store), [], 'another one is left');
  await set(1, false);
  t.strictSame(await tasksOf(store), ['payment_method_missing']);
  await set(1, true);
  t.strictSame(await tasksOf(store), []);
});

t.test('a box without a mail server says so, and needs no payment method without adapters', async (t) => {
  const plain = await createTestBox(t);
  t.strictSame(await tasksOf(plain), ['mail_server_missing']);
});

t.test('a task makes a cached copy stale, and refuses no change', async (t) => {
  const { staff } = await box.openTenant();
  const first = await staff.get(path);
  const etagOf = ({ headers }: Answer) => headers.get('etag') as string;
  const conditional = (header: string, tag: string) => ({ headers: { [header]: tag } });
  const isCached = async (tag: string) => (await staff.call('GET', path, conditional('if-none-match', tag))).status;
  t.equal(await isCached(etagOf(first)), 304);
  await bodyOf(staff.post('/admin/regions', { name: 'Europe', currency: 'EUR', countries: ['FR', 'DE'] }));
  t.equal(await isCached(etagOf(first)), 200);
  const second = await staff.get(path);
  t.not(etagOf(second), etagOf(first));
  const changed = await staff.patch(path, { name: 'Changed' }, conditional('if-match', etagOf(first)));
  t.match(changed, { status: 200, body: { name: 'Changed' } });
  t.strictSame(codesIn(changed), ['country_missing']);
  t.equal(etagOf(changed), etagOf(await staff.get(path)), 'the response has the ETag of its body');
  for (const stale of [first, second]) {
    t.match(await staff.patch(path, { name: 'Again' }, conditional('if-match', etagOf(stale))), { status: 412 });
  }
  t.match(await staff.patch(path, { name: 'Last' }, conditional('if-match', etagOf(changed))), { status: 200 });
});

t.test('tasks cannot be set', async (t) => {
  t.match(await box.staff.patch(path, { tasks: [] }), { status: 400 });
});
