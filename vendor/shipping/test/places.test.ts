/**
 * The zones of a cart by its address: provinces that are not known, and forms of postal codes.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, buyer, choose, createArticle, createOption, createZone } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });

t.test('a province that is not known is an issue where a zone depends on it', async (t) => {
  const store = await box.openTenant();
  const zone = await createZone(store, 'Canaries', { country: 'ES', provinces: ['Islas Canarias'] });
  const option = await createOption(store, { code: 'boat', name: 'Boat', zoneId: zone });
  const shopper = await shopperWith(store, [await createArticle(store, 1000), 1]);
  const issuesAt = async (country: string, province: string | null) =>
    (await bodyOf(shopper.put('/cart/shipping-address', { ...addressIn(country), province }))).issues;
  t.strictSame(await issuesAt('ES', 'Atlantis'), ['province_unknown']);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'province_unknown' } });
  t.strictSame(await issuesAt('ES', 'Madrid'), []);
  t.strictSame(await issuesAt('ES', null), ['province_missing']);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'customer_details_missing' } });
  await createZone(store, 'California', { country: 'US', provinces: ['CA'] });
  await createZone(store, 'Los Angeles', { country: 'US', postalCodes: ['900*'] });
  const byCode = async (country: string, postalCode: string) =>
    (await bodyOf(shopper.put('/cart/shipping-address', { ...addressIn(country), postalCode }))).issues;
  t.strictSame(await byCode('US', '90001'), [], 'the code decides the zone');
  t.strictSame(await byCode('US', '91001'), ['province_missing']);
  t.strictSame(await byCode('ES', '28001'), [], 'the code names the province');
  t.strictSame(await issuesAt('FR', 'Atlantis'), [], 'no zone depends on it');
  t.strictSame(await issuesAt('ES', 'Las Palmas'), []);
  await choose(shopper, option);
  t.match(await shopper.post('/checkout', buyer), { status: 201 });
});

t.test(
  'zones have postal codes that begin with a number of their range, and codes with the country before',
  async (t) => {
    const store = await box.openTenant();
    const zone = await createZone(store, 'Islands', { country: 'PT', postalCodes: ['9000-9999'] });
    const option = await createOption(store, { code: 'boat', name: 'Boat', zoneId: zone });
    const shopper = await shopperWith(store, [await createArticle(store, 1000), 1]);
    for (const [postalCode, options] of [
      ['9999-999', [option]],
      ['PT-9000-017', [option]],
      ['8999-999', []],
    ] as const) {
      await bodyOf(shopper.put('/cart/shipping-address', { ...addressIn('PT'), postalCode }));
      const [group] = (await bodyOf(shopper.get('/cart/shipping-options'))).groups;
      t.strictSame(
        group.options.map(({ id }: { id: string }) => id),
        options,
        postalCode,
      );
    }
    const wrong = { name: 'North', places: [{ country: 'GB', postalCodes: ['BT*', 'BT1-BT9'] }] };
    t.match(await store.staff.post('/admin/shipping-zones', wrong), {
      status: 400,
      body: { errors: exactly([{ pointer: '/places/0/postalCodes/1' }]) },
    });
  },
);
