/**
 * The provider of the example keeps what every tax provider must, and taxes a cart in a box that has it.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly, packagesOfTier } from '@carton/runtime/testing';
import { taxProviders } from '@carton/tax';
import { testTaxProvider } from '@carton/tax/testing';
import t from 'tap';

const packages = [...packagesOfTier('basic'), '@example/taxes'];
const box = await createTestBox(t, { tier: 'basic', packages, environment: { TAX_PROVIDERS: 'flat' } });
const provider = taxProviders.of(box.box.database).find(({ name }) => name === 'flat');
if (!provider) throw new Error('the package contributes no provider');
const address = { country: 'DE', province: null, postalCode: '10115', city: 'Berlin', line1: '1 Way' };

t.test('the contract', (t) => {
  testTaxProvider(t, { provider, db: box.db, address });
  t.end();
});

t.test('a store that chooses it has its taxes', async (t) => {
  const wrong = { settings: { tax: { provider: 'flatter' } } };
  t.match(await box.staff.patch('/admin/store', wrong), { status: 400 });
  await bodyOf(box.staff.patch('/admin/store', { settings: { tax: { provider: 'flat' } } }));
  const shopper = await shopperWith(box, [await createForSale(box, 1999, { stock: 5 }), 1]);
  const cart = await bodyOf(shopper.put('/cart/shipping-address', { ...address, name: 'Ada', province: undefined }));
  t.match(cart, {
    adjustments: exactly([{ kind: 'tax', code: 'flat', amount: { amount: 380 } }]),
    totals: { total: { amount: 2379 } },
  });
});
