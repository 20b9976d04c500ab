/**
 * The mail about an order says what the confirmation says: the address in the order of an envelope, and whether prices
 * include the tax.
 */
import { untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { createMailBox, createProduct } from './helpers.ts';

const { box, server } = await createMailBox(t, { tier: 'basic' });
const address = {
  name: 'Greta Gast',
  line1: 'Hauptstr. 1',
  postalCode: '10115',
  city: 'Berlin',
  country: 'DE',
};

async function mailedIn({ taxInclusive }: { taxInclusive: boolean }) {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const region = { name: 'Germany', currency: 'EUR', taxInclusive, countries: ['DE'] };
  t.match(await staff.post('/admin/regions', region), { status: 201 });
  const rate = { code: 'vat', name: 'VAT', rate: 19, country: 'DE' };
  t.match(await staff.post('/admin/tax-rates', rate), { status: 201 });
  const variantId = await createProduct(tenant);
  const shopper = tenant.shopper();
  await shopper.post('/cart/items', { variantId, quantity: 1 });
  const email = `greta-${taxInclusive}@shopper.example`;
  const placed = await shopper.post('/checkout', { customer: { email, name: 'Greta Gast', address } });
  t.equal(placed.status, 201);
  await untilDelivered(tenant);
  const [mail] = server.mails.filter(({ to }) => to === email);
  const confirmation = await shopper.get(`/checkout/${placed.body.id}/confirmation`);
  return { mail, confirmation: String(confirmation.body), totals: placed.body.totals };
}

/** The text of a mail or page without its markup, one line. */
const plain = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

for (const taxInclusive of [true, false]) {
  t.test(`prices ${taxInclusive ? 'with' : 'without'} tax`, async (t) => {
    const { mail, confirmation, totals } = await mailedIn({ taxInclusive });
    const lines = ['Greta Gast', 'Hauptstr. 1', '10115 Berlin', 'Germany'].join(' ');
    for (const said of [mail?.text, mail?.html, confirmation]) t.match(plain(said ?? ''), lines);
    t.not(totals.tax.amount, 0);
    for (const said of [mail?.text, mail?.html]) {
      t.equal(/Includes tax/.test(plain(said ?? '')), taxInclusive);
      t.equal(/ Tax:? /.test(plain(said ?? '')), !taxInclusive);
    }
    t.equal(/Includes VAT/.test(plain(confirmation)), taxInclusive);
  });
}
