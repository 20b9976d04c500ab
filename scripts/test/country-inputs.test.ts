/**
 * Every request that has a country takes its codes and names, and what is stored and returned is the alpha-2 code.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { memberAuthenticators } from '@carton/runtime';
import { bodyOf, createTestBox, operationsOf, type TestDocument } from '@carton/runtime/testing';
import t from 'tap';

const authenticator = memberAuthenticators.with({ identify: async (_, memberId) => ({ memberId }) });
const box = await createTestBox(t, { extends: [authenticator] });
const { staff } = box;
const address = (country: string) => ({ name: 'Ada', line1: '1 Way', city: 'Town', country });
const article = await createForSale(box, 1000);
const shopper = await shopperWith(box, [article, 1]);

/** Requests with a country, and where the response has it. */
type Input = [what: string, send: (country: string) => Promise<unknown>, countryOf: (body: never) => unknown];

let created = 0;
const inputs: Input[] = [
  [
    'a tax rate',
    (country) => bodyOf(staff.post('/admin/tax-rates', { code: `c${++created}`, name: 'VAT', rate: 0, country })),
    ({ country }: { country: string }) => country,
  ],
  [
    'the list of tax rates',
    (country) => bodyOf(staff.get(`/admin/tax-rates?country=${encodeURIComponent(country)}`)),
    ({ items }: { items: { country: string }[] }) => items[0]?.country,
  ],
  [
    'the store',
    (country) => bodyOf(staff.patch('/admin/store', { country })),
    ({ country }: { country: string }) => country,
  ],
  [
    'where parcels are sent from, and picked up',
    (country) => {
      const { name: _, ...origin } = address(country);
      return bodyOf(
        staff.patch('/admin/store', { settings: { shipping: { origin, pickupAddress: address(country) } } }),
      );
    },
    ({ settings: { shipping } }: { settings: { shipping: Record<string, { country: string }> } }) =>
      shipping.origin?.country === shipping.pickupAddress?.country ? shipping.origin?.country : shipping,
  ],
  [
    'the origin of a variant',
    (originCountry) => bodyOf(staff.patch(`/admin/variants/${article.variantId}`, { originCountry })),
    ({ originCountry }: { originCountry: string }) => originCountry,
  ],
  [
    'the shipping address of a cart',
    (country) => bodyOf(shopper.put('/cart/shipping-address', address(country))),
    ({ shippingAddress }: { shippingAddress: { country: string } }) => shippingAddress.country,
  ],
  [
    'the billing address of a cart',
    (country) => bodyOf(shopper.put('/cart/billing-address', address(country))),
    ({ billingAddress }: { billingAddress: { country: string } }) => billingAddress.country,
  ],
  [
    'the country of a cart',
    async (country) => bodyOf((await shopperWith(box, [article, 1])).patch('/cart', { country })),
    ({ country }: { country: string }) => country,
  ],
  [
    'the address of an order',
    async (country) => {
      const customer = { email: 'ada@example.com', address: address(country), billing: address(country) };
      return bodyOf((await shopperWith(box, [article, 1])).post('/checkout', { customer }));
    },
    ({ customer }: { customer: Record<string, { country: string }> }) =>
      customer.address?.country === customer.billing?.country ? customer.address?.country : customer,
  ],
  [
    "an address in a member's book",
    async (country) => {
      const { id } = await bodyOf(staff.post('/admin/members', { email: `ada${++created}@example.com` }));
      const member = box.shopper();
      member.headers.authorization = `Bearer ${id}`;
      return bodyOf(member.post('/member/addresses', address(country)));
    },
    ({ country }: { country: string }) => country,
  ],
  [
    'a shipping zone',
    async (country) => {
      const zone = await bodyOf(staff.post('/admin/shipping-zones', { name: 'Zone', places: [{ country }] }));
      await staff.delete(`/admin/shipping-zones/${zone.id}`);
      return zone;
    },
    ({ places }: { places: { country: string }[] }) => places[0]?.country,
  ],
  [
    'a region, found by its country',
    async (country) => {
      const region = { name: 'Region', currency: 'EUR', countries: [country] };
      const { id, countries } = await bodyOf(staff.post('/admin/regions', region));
      const [query] = [`country=${encodeURIComponent(country)}`];
      const found = await bodyOf(box.visitor().get(`/regions?${query}`));
      const { items } = await bodyOf(box.visitor().get(`/countries?${query}&fields=code`));
      t.strictSame([found.items[0]?.id, items[0]?.code, countries], [id, 'ES', ['ES']]);
      await staff.delete(`/admin/regions/${id}`);
      return { countries };
    },
    ({ countries }: { countries: string[] }) => countries[0],
  ],
];

for (const [what, send, countryOf] of inputs) {
  t.test(`${what}: codes and names are stored as the alpha-2 code`, async (t) => {
    for (const country of ['ES', 'es', 'ESP', 'Spain', 'España', 'Spanien']) {
      t.equal(countryOf((await send(country)) as never), 'ES', country);
    }
  });
}

t.test('no other request takes the alpha-2 code alone', async (t) => {
  const document = (await bodyOf(box.visitor().get('/docs/json'))) as TestDocument & { components: unknown };
  const strict = new Set<string>();
  const visit = (label: string, node: unknown, seen: Set<string>): void => {
    if (node === null || typeof node !== 'object') return;
    const { $ref, format } = node as { $ref?: string; format?: string };
    if (format === 'country') strict.add(label);
    if ($ref !== undefined && !seen.has($ref)) {
      const words = $ref.slice(2).split('/');
      const target = words.reduce<unknown>((found, word) => (found as Record<string, unknown>)?.[word], document);
      visit(label, target, new Set([...seen, $ref]));
    }
    for (const value of Object.values(node)) visit(label, value, seen);
  };
  let requests = 0;
  for (const { label, operation } of operationsOf(document)) {
    const { parameters = [], requestBody } = operation as { parameters?: unknown[]; requestBody?: unknown };
    requests += parameters.length + (requestBody ? 1 : 0);
    visit(label, [parameters, requestBody], new Set());
  }
  t.ok(requests > 100);
  t.strictSame([...strict], []);
});
