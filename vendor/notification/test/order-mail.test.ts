/**
 * The mail about an order says what the confirmation says: the address in the order of an envelope, and whether prices
 * include the tax, those of goods and those of shipping.
 */
import { bodyOf, untilDelivered } from '@carton/runtime/testing';
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

const euros = (amount: number) => ({ amount, currency: 'EUR' });
/** 10.00 EUR with 19 %, goods of 19.99 EUR: the amounts in cents. */
const mixed = [
  { taxInclusive: true, shipping: 1000, within: 319, onTop: 190, net: 2680 },
  { taxInclusive: false, shipping: 1000, within: 160, onTop: 380, net: 2839 },
];
for (const { taxInclusive, shipping, within, onTop, net } of mixed) {
  t.test(
    `shipping ${taxInclusive ? 'without tax beside prices with it' : 'with tax beside prices without it'}`,
    async (t) => {
      const tenant = await box.openTenant();
      const { staff } = tenant;
      const region = { name: 'Germany', currency: 'EUR', taxInclusive, shippingTaxInclusive: !taxInclusive };
      await bodyOf(staff.post('/admin/regions', { ...region, countries: ['DE'] }));
      await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', rate: 19, country: 'DE' }));
      await bodyOf(staff.patch('/admin/store', { legalName: 'Demo Store', address: 'Berlin' }));
      const option = { code: 'post', name: 'Post', type: 'flat', rates: [euros(shipping)] };
      const { id: optionId } = await bodyOf(staff.post('/admin/shipping-options', option));
      const shopper = tenant.shopper();
      await bodyOf(shopper.post('/cart/items', { variantId: await createProduct(tenant), quantity: 1 }));
      await bodyOf(shopper.put('/cart/shipping-address', address));
      const cart = await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
      const total = 1999 + shipping + onTop;
      t.match(cart.totals, { tax: euros(within + onTop), total: euros(total) });
      const email = `mixed-${taxInclusive}@shopper.example`;
      const order = await bodyOf(shopper.post('/checkout', { customer: { email, name: 'Greta Gast' } }));
      t.strictSame(order.totals, cart.totals);
      const invoice = await bodyOf(staff.post(`/admin/orders/${order.id}/invoices`, {}));
      t.match(invoice.totals, { net: euros(net), tax: euros(within + onTop), total: euros(total) });
      await untilDelivered(tenant);
      const [mail] = server.mails.filter(({ to }) => to === email);
      const confirmation = await shopper.get(`/checkout/${order.id}/confirmation`);
      const written = (amount: number) => (amount / 100).toFixed(2);
      for (const said of [mail?.text, mail?.html]) {
        t.match(plain(said ?? ''), new RegExp(` Tax:? €${written(onTop)}`));
        t.match(plain(said ?? ''), new RegExp(`Includes tax:? €${written(within)}`));
      }
      t.match(plain(String(confirmation.body)), new RegExp(`VAT[^€]* €${written(onTop)}`));
      t.match(plain(String(confirmation.body)), new RegExp(`Includes VAT[^€]* €${written(within)}`));
    },
  );
}
