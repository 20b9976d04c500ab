/**
 * Packages join in placing an order: they ask for something, claim what is scarce, write what belongs to it, and the
 * order is placed with all of that or not at all.
 */
import { orderPlacing, type PlacingStep } from '@carton/checkout';
import { reserveStock } from '@carton/inventory';
import type { ExtensionPoint } from '@carton/runtime';
import type { Caller } from '@carton/runtime/testing';
import t from 'tap';
import { boxWithPerks } from './perks.ts';
import { buyer, makeArticle, shopperWith, standing } from './tenant.ts';

const box = await boxWithPerks(t);
const { db } = box;
const mug = await makeArticle(box, 'mug', 1250, 1000);

const cartOf = async (shopper: Caller): Promise<string> => (await shopper.get('/cart')).body.id;
const usesOf = (code: string) =>
  db.query('select order_id from promotion_uses where tenant_id = $1 and code = $2 order by 1', [code]);
const leftOf = async (code: string) =>
  (await db.query('select uses_left from promotions where tenant_id = $1 and code = $2', [code]))[0];

async function offer(code: string, uses: number): Promise<void> {
  await db.insert('promotions', { code, amount: 100, usesLeft: uses });
}
async function choose(shopper: Caller, code: string): Promise<void> {
  await db.insert('promotion_choices', { cartId: await cartOf(shopper), code });
}

t.test('of two carts with a promotion of one use one becomes an order', async (t) => {
  for (let round = 0; round < 10; round++) {
    const code = `ONCE-${round}`;
    await offer(code, 1);
    const shoppers = [await shopperWith(box, [mug, 1]), await shopperWith(box, [mug, 1])];
    for (const shopper of shoppers) await choose(shopper, code);
    const before = await standing(box);
    const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
    const placed = answers.find(({ status }) => status === 201);
    const refused = answers.find(({ status }) => status === 409);
    t.match(refused?.body, { code: 'promotion_used_up', detail: 'It was used by somebody else.' });
    t.strictSame(await usesOf(code), [{ orderId: placed?.body.id }]);
    t.strictSame(await leftOf(code), { usesLeft: 0 });
    const after = await standing(box);
    t.equal(after.orders, before.orders + 1);
    t.equal(after.movements, before.movements + 1, 'what was refused has taken no stock');
  }
});

t.test('what is claimed comes back when the order is refused for something else', async (t) => {
  await offer('KEPT', 1);
  const scarce = await makeArticle(box, 'scarce', 700, 1);
  const [late, first] = [await shopperWith(box, [scarce, 1]), await shopperWith(box, [scarce, 1])];
  await choose(late, 'KEPT');
  await first.post('/checkout', buyer);
  t.match(await late.post('/checkout', buyer), { status: 409, body: { code: 'insufficient_stock' } });
  t.strictSame(await leftOf('KEPT'), { usesLeft: 1 });
  t.strictSame(await usesOf('KEPT'), []);
});

t.test('a requirement is shown before, and refused with its own problem', async (t) => {
  const desk = await makeArticle(box, 'desk', 100_000, 10);
  const shopper = await shopperWith(box, [desk, 1]);
  const before = await standing(box);
  const { body } = await shopper.get('/checkout');
  t.equal(body.ready, false);
  t.strictSame(body.requirements, [{ code: 'not_approved', detail: 'Ask your manager.' }]);
  const refused = await shopper.post('/checkout', buyer);
  t.match(refused, { status: 403, body: { code: 'not_approved', detail: 'Ask your manager.' } });
  t.strictSame(await standing(box), before);
  await db.insert('approvals', { cartId: await cartOf(shopper) });
  t.match((await shopper.get('/checkout')).body, { ready: true });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
});

t.test('requirements stand in the order of their steps, and all of the first problem are told', async (t) => {
  const sofa = await makeArticle(box, 'sofa', 100_000, 10);
  const gone = [await makeArticle(box, 'gone', 500, 10), await makeArticle(box, 'away', 500, 10)] as const;
  const shopper = await shopperWith(box, [gone[0], 1], [sofa, 1], [gone[1], 1]);
  for (const { productId } of gone) await box.staff.patch(`/admin/products/${productId}`, { status: 'archived' });
  const codes = async () =>
    (await shopper.get('/checkout')).body.requirements.map(({ code }: { code: string }) => code);
  t.strictSame(await codes(), ['not_approved', 'item_unavailable', 'item_unavailable']);
  t.match(await shopper.post('/checkout', buyer), { status: 403, body: { code: 'not_approved' } });
  await db.insert('approvals', { cartId: await cartOf(shopper) });
  t.strictSame(await codes(), ['item_unavailable', 'item_unavailable']);
  const { status, body } = await shopper.post('/checkout', buyer);
  t.strictSame(
    [status, body.code, body.detail],
    [409, 'cart_not_ready', 'gone Default is no longer for sale. away Default is no longer for sale.'],
  );
});

t.test('a step that asks for what it has not declared is a fault of its package', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await standing(box);
  const { database } = box.box;
  const { extensions } = database;
  const hasty: PlacingStep = { name: 'hasty', order: 1, require: () => [{ code: 'undeclared', detail: 'Wait.' }] };
  database.extensions = new Map([...extensions, [orderPlacing as ExtensionPoint<unknown>, [hasty]]]);
  t.teardown(() => {
    database.extensions = extensions;
  });
  t.equal((await shopper.get('/checkout')).status, 500);
  t.match(await shopper.post('/checkout', buyer), { status: 500, body: { code: 'internal_error' } });
  t.strictSame(await standing(box), before);
});

t.test('what was reserved for a cart is sold with it', async (t) => {
  const last = await makeArticle(box, 'last', 900, 1);
  const [holder, other] = [await shopperWith(box, [last, 1]), await shopperWith(box, [last, 1])];
  const reference = { type: 'cart', id: await cartOf(holder) };
  await db.transaction((tx) => reserveStock(tx, [{ variantId: last.variantId, quantity: 1 }], reference));
  t.match(await other.post('/checkout', buyer), { status: 409, body: { code: 'insufficient_stock' } });
  t.equal((await holder.post('/checkout', buyer)).status, 201);
  t.match((await box.staff.get(`/admin/stock-items/${last.stockItemId}`)).body, { onHand: 0, reserved: 0 });
});

t.test('the document of the box names what its packages ask for and refuse with', async (t) => {
  const document = (await box.visitor().get('/docs/json')).body;
  const declared = JSON.stringify([409, 403].map((status) => resolved(document, '/checkout', 'post', status)));
  for (const code of ['promotion_used_up', 'not_approved', 'insufficient_stock', 'guest_checkout_off']) {
    t.match(declared, `"${code}"`, code);
  }
  const { description } = document.components.schemas.CheckoutRequirement.properties.code;
  t.match(description, /`not_approved`/);
  t.match(description, /`item_unpriced`/);
});

// biome-ignore lint/suspicious/noExplicitAny: any document.
function resolved(document: any, path: string, method: string, status: number) {
  const response = document.paths[path][method].responses[status];
  return document.components.responses[response.$ref?.split('/').at(-1)] ?? response;
}
