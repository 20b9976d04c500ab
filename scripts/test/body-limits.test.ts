/**
 * Bodies of shoppers are as large as their routes need: everyone may send them, and reading one occupies the event loop.
 */

import { createForSale } from '@carton/cart/testing';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { shopperBodyLimit } from '../../runtime/box/access.ts';
import { accessKindsOf } from '../../runtime/http/route.ts';

const box = await createTestBox(t, { tier: 'enterprise' });
const kibibyte = 1024;
/** Routes that need more than the others, with what they need. */
const larger: Record<string, number> = {
  replaceCartItems: 256 * kibibyte,
  createOrder: 256 * kibibyte,
  receivePaymentWebhook: 256 * kibibyte,
};
const declarations = box.box.routes.map(({ declaration }) => declaration);
/** Text of four bytes for each character. */
const emoji = (length: number) => '🧵'.repeat(length);

t.test('each route for shoppers has a small limit, and staff have the general one', async (t) => {
  const withBody = declarations.filter(({ body, upload }) => body && !upload);
  const ofShoppers = withBody.filter((declaration) =>
    accessKindsOf(declaration).every((kind) => ['session', 'member'].includes(kind)),
  );
  t.ok(ofShoppers.length >= 25, `${ofShoppers.length}`);
  for (const { operationId, bodyLimit } of ofShoppers)
    t.equal(bodyLimit, larger[operationId] ?? shopperBodyLimit, operationId);
  const small = withBody.filter(({ bodyLimit }) => bodyLimit !== undefined && bodyLimit <= shopperBodyLimit);
  t.strictSame(
    small.filter((declaration) => !ofShoppers.includes(declaration)),
    [],
  );
});

t.test('a larger body is 413, which says the limit, and so does the document', async (t) => {
  const text = 'x'.repeat(shopperBodyLimit);
  for (const path of ['/contact', '/member/login', '/cart/items', '/admin/auth/login'])
    t.match(await box.visitor().post(path, { text }), {
      status: 413,
      body: { code: 'body_too_large', detail: `The limit is ${shopperBodyLimit} bytes.` },
    });
  t.match(await box.visitor().put('/cart/items', { text: 'x'.repeat(256 * kibibyte) }), {
    status: 413,
    body: { detail: `The limit is ${256 * kibibyte} bytes.` },
  });
  const { paths } = (await box.visitor().get('/docs/json')).body;
  t.equal(paths['/contact'].post.requestBody.description, 'At most 64 KiB');
  t.equal(paths['/cart/items'].put.requestBody.description, 'At most 256 KiB');
  t.equal(paths['/admin/products'].post.requestBody.description, 'At most 1 MiB');
});

t.test('what shoppers may write fits, and staff send as much as before', async (t) => {
  const { variantId } = await createForSale(box, 100);
  const items = Array.from({ length: 500 }, (_, line) => ({
    variantId,
    quantity: 1,
    properties: { line, engraving: emoji(90) },
  }));
  const shopper = box.shopper();
  t.match(await shopper.put('/cart/items', { items }), { status: 200 });
  const address = Object.fromEntries(['line1', 'line2', 'city'].map((field) => [field, emoji(100)]));
  const customer = { email: 'ada@example.com', name: emoji(200), address: { ...address, country: 'FR' } };
  t.match(await shopper.post('/checkout', { customer, notes: emoji(2000) }), { status: 201 });
  const named = { name: emoji(100), email: 'ada@example.com', message: emoji(4000) };
  t.not((await box.visitor().post('/contact', named)).status, 413);
  const description = 'x'.repeat(900_000);
  t.not((await box.staff.post('/admin/products', { title: 'Long', description })).status, 413);
});
