/**
 * Bodies of shoppers are as large as their routes need: everyone may send them, and reading one occupies the event loop.
 */

import { createForSale } from '@carton/cart/testing';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { shopperBodyLimit } from '../../runtime/box/access.ts';
import { accessKindsOf } from '../../runtime/http/route.ts';
import { largestBody } from './support/largest-body.ts';

const box = await createTestBox(t, { tier: 'enterprise' });
const kibibyte = 1024;
/** Routes that need more than the others, with what they need. */
const larger: Record<string, number> = {
  addCartItem: 128 * kibibyte,
  sendContactMessage: 128 * kibibyte,
  replaceCartItems: 256 * kibibyte,
  createOrder: 512 * kibibyte,
  receivePaymentWebhook: 256 * kibibyte,
};
/**
 * Bodies whose schema allows more: many lines have short properties, a provider's events are bytes, and of an attribution
 * what is too long is cut.
 */
const unbounded = ['replaceCartItems', 'createOrder', 'receivePaymentWebhook'];
const declarations = box.box.routes.map(({ declaration }) => declaration);
const withBody = declarations.filter(({ body, upload }) => body && !upload);
const ofShoppers = withBody.filter((declaration) =>
  accessKindsOf(declaration).every((kind) => ['session', 'member'].includes(kind)),
);
/** Text of four bytes for each character. */
const emoji = (length: number) => '🧵'.repeat(length);

t.test('each route for shoppers has a small limit, and staff have the general one', async (t) => {
  t.ok(ofShoppers.length >= 25, `${ofShoppers.length}`);
  for (const { operationId, bodyLimit } of ofShoppers)
    t.equal(bodyLimit, larger[operationId] ?? shopperBodyLimit, operationId);
  const small = withBody.filter(({ bodyLimit }) => bodyLimit !== undefined && bodyLimit <= shopperBodyLimit);
  t.strictSame(
    small.filter((declaration) => !ofShoppers.includes(declaration)),
    [],
  );
});

t.test('the largest body that a schema allows fits the limit, with each character escaped', async (t) => {
  for (const { operationId, body, bodyLimit } of ofShoppers) {
    const size = largestBody(body);
    const fits = size <= (bodyLimit as number);
    t.equal(fits, !unbounded.includes(operationId), `${operationId}: ${size} bytes of ${bodyLimit}`);
  }
});

t.test('a larger body is 413, which says the limit, and so does the document', async (t) => {
  const text = 'x'.repeat(shopperBodyLimit);
  for (const path of ['/member/login', '/admin/auth/login'])
    t.match(await box.visitor().post(path, { text }), {
      status: 413,
      body: { code: 'body_too_large', detail: `The limit is ${shopperBodyLimit} bytes.` },
    });
  t.match(await box.visitor().put('/cart/items', { text: 'x'.repeat(256 * kibibyte) }), {
    status: 413,
    body: { detail: `The limit is ${256 * kibibyte} bytes.` },
  });
  const { paths } = (await box.visitor().get('/docs/json')).body;
  t.equal(paths['/member/login'].post.requestBody.description, 'At most 64 KiB');
  t.equal(paths['/cart/items'].post.requestBody.description, 'At most 128 KiB');
  t.equal(paths['/cart/items'].put.requestBody.description, 'At most 256 KiB');
  t.equal(paths['/admin/products'].post.requestBody.description, 'At most 1 MiB');
});

t.test('a line with the longest properties is added, with each character escaped', async (t) => {
  const { variantId } = await createForSale(box, 10);
  const name = (at: number) => `${at}`.padStart(60, 'é');
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [name(at), emoji(500)]));
  const escaped = JSON.stringify({ variantId, quantity: 1, properties }).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  t.ok(escaped.length > 125_000, `${escaped.length}`);
  const headers = { 'content-type': 'application/json' };
  const added = await box.shopper().post('/cart/items', escaped, { headers });
  t.match(added, { status: 201 });
  t.strictSame(added.body.items[0].properties, properties);
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
