/**
 * Packages take part in placing an order: their steps require, claim and write, and the order is placed with all of that
 * or not at all.
 */
import { shopperWith } from '@carton/cart/testing';
import { AllSent, orderPlacing, type PlacingStep } from '@carton/checkout';
import { reserveStock } from '@carton/inventory';
import { type Caller, extendBox } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, snapshot } from './helpers.ts';
import { boxWithPerks } from './perks.ts';

const box = await boxWithPerks(t);
const { db } = box;
const mug = await createArticle(box, 'mug', 1250, 1000);

const cartOf = async (shopper: Caller): Promise<string> => (await shopper.get('/cart')).body.id;
const usesOf = (code: string) =>
  db.query('select order_id from voucher_uses where tenant_id = $1 and code = $2 order by 1', [code]);
const leftOf = async (code: string) =>
  (await db.query('select uses_left from vouchers where tenant_id = $1 and code = $2', [code]))[0];

async function createVoucher(code: string, uses: number): Promise<void> {
  await db.insert('vouchers', { code, amount: 100, usesLeft: uses });
}
async function chooseVoucher(shopper: Caller, code: string): Promise<void> {
  await db.insert('voucher_choices', { cartId: await cartOf(shopper), code });
}

t.test('of two carts with a single-use voucher one becomes an order', async (t) => {
  for (let round = 0; round < 10; round++) {
    const code = `ONCE-${round}`;
    await createVoucher(code, 1);
    const shoppers = [await shopperWith(box, [mug, 1]), await shopperWith(box, [mug, 1])];
    for (const shopper of shoppers) await chooseVoucher(shopper, code);
    const before = await snapshot(box);
    const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
    const placed = answers.find(({ status }) => status === 201);
    const refused = answers.find(({ status }) => status === 409);
    t.match(refused?.body, { code: 'voucher_used_up', detail: 'Another order has used it.' });
    t.strictSame(await usesOf(code), [{ orderId: placed?.body.id }]);
    t.strictSame(await leftOf(code), { usesLeft: 0 });
    const after = await snapshot(box);
    t.equal(after.orders, before.orders + 1);
    t.equal(after.movements, before.movements + 1, 'the rejected checkout took no stock');
  }
});

t.test('a claim is rolled back if the order is rejected for another reason', async (t) => {
  await createVoucher('UNUSED', 1);
  const scarce = await createArticle(box, 'scarce', 700, 1);
  const [late, first] = [await shopperWith(box, [scarce, 1]), await shopperWith(box, [scarce, 1])];
  await chooseVoucher(late, 'UNUSED');
  await first.post('/checkout', buyer);
  t.match(await late.post('/checkout', buyer), { status: 409, body: { code: 'insufficient_stock' } });
  t.strictSame(await leftOf('UNUSED'), { usesLeft: 1 });
  t.strictSame(await usesOf('UNUSED'), []);
});

t.test('a write that fails rolls the order back, also one that the commit did not wait for', async (t) => {
  const fail = 'select 1 / 0 where $1::uuid is not null';
  for (const write of [(tx: typeof db) => tx.query(fail), (tx: typeof db) => new AllSent(tx.query(fail))]) {
    extendBox(t, box, [orderPlacing.with({ name: 'failing', order: 900, write })], { without: [orderPlacing] });
    const shopper = await shopperWith(box, [mug, 1]);
    const before = await snapshot(box);
    t.equal((await shopper.post('/checkout', buyer)).status, 400);
    t.strictSame(await snapshot(box), before);
    t.equal((await shopper.get('/cart')).body.items.length, 1);
  }
});

t.test('a requirement is listed by the preview and rejected with its own problem', async (t) => {
  const desk = await createArticle(box, 'desk', 100_000, 10);
  const shopper = await shopperWith(box, [desk, 1]);
  const before = await snapshot(box);
  const { body } = await shopper.get('/checkout');
  t.equal(body.ready, false);
  t.strictSame(body.requirements, [{ code: 'not_approved', detail: 'Ask your manager.', pointer: null }]);
  const refused = await shopper.post('/checkout', buyer);
  t.match(refused, { status: 403, body: { code: 'not_approved', detail: 'Ask your manager.' } });
  t.strictSame(await snapshot(box), before);
  await db.insert('approvals', { cartId: await cartOf(shopper) });
  t.match((await shopper.get('/checkout')).body, { ready: true });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
});

t.test('requirements are listed in the order of their steps, and the problem lists all that share it', async (t) => {
  const sofa = await createArticle(box, 'sofa', 100_000, 10);
  const archived = [await createArticle(box, 'hat', 500, 10), await createArticle(box, 'lamp', 500, 10)] as const;
  const shopper = await shopperWith(box, [archived[0], 1], [sofa, 1], [archived[1], 1]);
  for (const { productId } of archived) await box.staff.patch(`/admin/products/${productId}`, { status: 'archived' });
  const codes = async () =>
    (await shopper.get('/checkout')).body.requirements.map(({ code }: { code: string }) => code);
  t.strictSame(await codes(), ['not_approved', 'item_unavailable', 'item_unavailable']);
  t.match(await shopper.post('/checkout', buyer), { status: 403, body: { code: 'not_approved' } });
  await db.insert('approvals', { cartId: await cartOf(shopper) });
  t.strictSame(await codes(), ['item_unavailable', 'item_unavailable']);
  const { status, body } = await shopper.post('/checkout', buyer);
  t.strictSame(
    [status, body.code, body.detail],
    [409, 'cart_not_ready', 'hat Default is no longer for sale. lamp Default is no longer for sale.'],
  );
});

t.test('an undeclared requirement is an internal error', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  const faulty: PlacingStep = { name: 'faulty', order: 1, require: () => [{ code: 'undeclared', detail: 'Wait.' }] };
  extendBox(t, box, [orderPlacing.with(faulty)]);
  t.equal((await shopper.get('/checkout')).status, 500);
  t.match(await shopper.post('/checkout', buyer), { status: 500, body: { code: 'internal_error' } });
  t.strictSame(await snapshot(box), before);
});

t.test('an order consumes the reservation of its cart', async (t) => {
  const last = await createArticle(box, 'last', 900, 1);
  const [holder, other] = [await shopperWith(box, [last, 1]), await shopperWith(box, [last, 1])];
  const reference = { type: 'cart', id: await cartOf(holder) };
  await db.transaction((tx) => reserveStock(tx, [{ variantId: last.variantId, quantity: 1 }], reference));
  t.match(await other.post('/checkout', buyer), { status: 409, body: { code: 'insufficient_stock' } });
  t.equal((await holder.post('/checkout', buyer)).status, 201);
  t.match((await box.staff.get(`/admin/stock-items/${last.stockItemId}`)).body, { onHand: 0, reserved: 0 });
});

t.test("the box's document lists the requirements and problems of its packages", async (t) => {
  const document = (await box.visitor().get('/docs/json')).body;
  const declared = JSON.stringify([409, 403].map((status) => responseOf(document, '/checkout', 'post', status)));
  for (const code of ['voucher_used_up', 'not_approved', 'insufficient_stock', 'guest_checkout_off']) {
    t.match(declared, `"${code}"`, code);
  }
  const { description } = document.components.schemas.CheckoutRequirement.properties.code;
  t.match(description, /`not_approved`/);
  t.match(description, /`item_unpriced`/);
});

// biome-ignore lint/suspicious/noExplicitAny: documents are untyped here.
function responseOf(document: any, path: string, method: string, status: number) {
  const response = document.paths[path][method].responses[status];
  return document.components.responses[response.$ref?.split('/').at(-1)] ?? response;
}
