/**
 * Goods that go to a place of a member state outside the territory of VAT are no supply within it; Monaco counts as France.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, cartFor, email, french, openStore, outcomeOf, rateOf } from './businesses.ts';

const store = await openStore(t);
const { staff } = store.box;
const { items } = await bodyOf(staff.get('/admin/regions'));
const more = ['FI', 'GR', 'IT', 'MC', 'IM'];
await bodyOf(staff.patch(`/admin/regions/${items[0].id}`, { countries: [...items[0].countries, ...more] }));

async function exemptionIn(address: object): Promise<string | null> {
  const { shopper } = await cartFor(store, french, { address });
  return (await bodyOf(shopper.post('/checkout', { customer: { email } }))).taxExemption;
}

t.test('a place outside has the tax of its rates, with any number', async (t) => {
  const places: [country: string, postalCode: string][] = [
    ['ES', '35001'],
    ['ES', '51001'],
    ['FI', '22100'],
    ['GR', '63086'],
    ['IT', '23041'],
    ['FR', '97400'],
  ];
  for (const [country, postalCode] of places) {
    t.equal(await exemptionIn(addressIn(country, postalCode)), null, `${country} ${postalCode}`);
  }
  t.equal(await exemptionIn({ ...addressIn('FI', '00100'), province: 'Åland' }), null);
  for (const [country, postalCode] of [
    ['ES', '28001'],
    ['FI', '00100'],
    ['GR', '10431'],
    ['IT', '20121'],
    ['MC', '98000'],
  ] as const) {
    t.equal(await exemptionIn(addressIn(country, postalCode)), 'intra_community', `${country} ${postalCode}`);
  }
});

t.test('Monaco has the rates of France, and the Isle of Man those of the United Kingdom', async (t) => {
  const taxIn = async (country: string, postalCode: string) => {
    const [, tax] = outcomeOf((await cartFor(store, null, { address: addressIn(country, postalCode) })).cart);
    return tax;
  };
  t.equal(await taxIn('MC', '98000'), 2380, '20 % as in France');
  t.equal(await taxIn('IM', 'IM1 1AA'), 2380);
  t.equal(await taxIn('IT', '20121'), 0, 'another country without rates has none');
  await bodyOf(staff.post('/admin/tax-rates', rateOf('MC', 10)));
  t.equal(await taxIn('MC', '98000'), 1190, 'unless the store has rates of its own for it');
});
