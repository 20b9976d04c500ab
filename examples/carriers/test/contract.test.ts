/**
 * The service of the example keeps what every carrier service must, and prices the shipping of a cart in a box that has it.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, packagesOfTier } from '@carton/runtime/testing';
import { carrierServices } from '@carton/shipping';
import { testCarrierService } from '@carton/shipping/testing';
import t from 'tap';

const packages = [...packagesOfTier('basic'), '@example/carriers'];
const box = await createTestBox(t, { tier: 'basic', packages, environment: { CARRIER_SERVICE: 'courier' } });
const service = carrierServices.of(box.box.database).find(({ name }) => name === 'courier');
if (!service) throw new Error('the package contributes no service');
const addressIn = (city: string) => ({ country: 'DE', province: null, postalCode: '10115', city, line1: '1 Way' });

t.test('the contract', (t) => {
  testCarrierService(t, { service, db: box.db, route: { from: addressIn('Hamburg'), to: addressIn('Berlin') } });
  t.end();
});

t.test('an option has its price', async (t) => {
  const { province, ...origin } = addressIn('Hamburg');
  await bodyOf(box.staff.patch('/admin/store', { settings: { shipping: { origin } } }));
  const option = { code: 'courier', name: 'Courier', type: 'carrier', rates: [], carrierService: 'Courier Standard' };
  const { id: optionId } = await bodyOf(box.staff.post('/admin/shipping-options', option));
  const pot = await createForSale(box, 2000, { stock: 5, variant: { title: 'One', weight: 1200 } });
  const shopper = await shopperWith(box, [pot, 1]);
  await bodyOf(shopper.put('/cart/shipping-address', { name: 'Ada', ...origin, city: 'Berlin' }));
  const { totals } = await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
  t.match(totals, { shipping: { amount: 500 }, total: { amount: 2500 } });
});
