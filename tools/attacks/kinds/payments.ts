/**
 * Orders and their payments: those of others are replaced, and more is taken than was sold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { sellIn, startPayment } from '../sale.ts';

const invalid = { status: 400, code: 'invalid_request' };
const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const payments: readonly Attack[] = [
  {
    name: 'payments: of another shopper',
    tries: 'another caller who knows the id of an order replaces its payment by another one',
    async run(target, observe) {
      const store = await target.openStore();
      const { order, shopper, article } = await sellIn(store);
      const path = `/checkout/${order.id}/payment-sessions`;
      const payment = await startPayment(shopper, order.id, 'cash_on_delivery');
      const others = [
        store.visitor(),
        await shopperWith(store, [article, 1]),
        (await target.createMember(store)).caller,
      ];
      observe.works(
        'the shopper asks for the same again',
        await shopper.post(path, { paymentMethod: 'cash_on_delivery' }),
        201,
      );
      for (const other of others) {
        const replaced = await other.post(path, { paymentMethod: 'bank_transfer' });
        observe.refused('another caller', replaced, { status: 409, code: 'payment_method_unavailable' });
      }
      const before = await store.staff.get(`/admin/payments/${payment}`);
      observe.works('the payment', before);
      observe.is('its state', before.body.status, 'pending');
      observe.works('the shopper replaces it', await shopper.post(path, { paymentMethod: 'bank_transfer' }), 201);
    },
  },
  {
    name: 'payments: amounts',
    tries: 'prices, totals and quantities of the attacker in carts and checkouts, and refunds beyond what was paid',
    async run(target, observe) {
      const store = await target.openStore();
      const article = await createForSale(store, 2500, { stock: 5 });
      const shopper = store.shopper();
      const add = (body: object) => shopper.post('/cart/items', body);
      const { variantId } = article;
      observe.works('one unit', await add({ variantId, quantity: 1 }), 201);
      for (const more of [{ unitPrice: eur(1) }, { price: 1 }, { discount: 2499 }, { total: eur(0) }]) {
        observe.refused(Object.keys(more).join(), await add({ variantId, quantity: 1, ...more }), invalid);
      }
      for (const quantity of [-1, 0, 0.5, 1e9, 1e15, '1', null]) {
        observe.refused(`a quantity of ${quantity}`, await add({ variantId, quantity }), invalid);
      }
      const buyer = { customer: { email: 'ada@example.com' } };
      for (const more of [
        { total: 1 },
        { totals: { total: eur(1) } },
        { items: [] },
        { status: 'paid' },
        { paymentStatus: 'paid' },
      ]) {
        observe.refused(Object.keys(more).join(), await shopper.post('/checkout', { ...buyer, ...more }), invalid);
      }
      const wrong = await shopper.post('/checkout', { ...buyer, expectedTotal: eur(1) });
      observe.refused('another total', wrong, { status: 409, code: 'total_changed' });
      const placed = await shopper.post('/checkout', buyer);
      observe.works('the order', placed, 201);
      observe.is('its total', placed.body.totals.total.amount, 2500);
      const pay = await startPayment(shopper, placed.body.id);
      observe.works('its capture', await store.staff.post(`/admin/payments/${pay}/capture`, {}));
      const refund = (body: object) => store.staff.post(`/admin/payments/${pay}/refunds`, body);
      for (const amount of [eur(-1), eur(0), { amount: 1, currency: 'USD' }]) {
        observe.refused('a refund of nothing', await refund({ amount }), invalid);
      }
      observe.refused('a refund of more', await refund({ amount: eur(2501) }), {
        status: 409,
        code: 'payment_step_not_possible',
      });
      const all = await Promise.all(Array.from({ length: 5 }, () => refund({ amount: eur(2500) })));
      observe.is('full refunds at once', all.filter(({ status }) => status === 201).length, 1);
      const again = await shopper.post(`/checkout/${placed.body.id}/payment-sessions`, {
        paymentMethod: 'bank_transfer',
      });
      observe.refused('it is paid again', again, { status: 409, code: 'nothing_to_pay' });
    },
  },
  {
    name: 'payments: stock',
    tries: 'shoppers buy the last unit at the same time, and a guest holds all stock in unpaid orders',
    async run(target, observe) {
      const store = await target.openStore();
      const last = await createForSale(store, 1000, { stock: 1 });
      const shoppers = await Promise.all(Array.from({ length: 8 }, () => shopperWith(store, [last, 1])));
      const buyer = { customer: { email: 'ada@example.com' } };
      const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
      const won = answers.find(({ status }) => status === 201);
      observe.works('one order', won ?? { status: 0 }, 201);
      for (const answer of answers.filter((each) => each !== won)) {
        observe.refused('another one', answer, { status: 409, code: 'insufficient_stock' });
      }
      const key = { headers: { 'idempotency-key': 'once' } };
      const article = await createForSale(store, 1000);
      const shopper = await shopperWith(store, [article, 1]);
      const twice = await Promise.all([shopper.post('/checkout', buyer, key), shopper.post('/checkout', buyer, key)]);
      observe.is('orders of one Idempotency-Key', new Set(twice.map(({ body }) => body.id)).size, 1);
    },
  },
  {
    name: 'payments: webhooks of a provider',
    tries: 'reports of payments without, and with a wrong signature, and of providers that are not there',
    async run(target, observe) {
      const store = await target.openStore();
      const { order, shopper } = await sellIn(store);
      const payment = await startPayment(shopper, order.id);
      const report = { type: 'payment_intent.succeeded', data: { object: { metadata: { payment_id: payment } } } };
      observe.works('the order', await shopper.get(`/checkout/${order.id}`));
      const notFound = { status: 404, code: 'not_found' };
      for (const provider of ['stripe', 'manual', 'none', '__proto__', 'constructor', 'toString']) {
        // That of payments by hand is there, but sends nothing.
        const right = provider === 'manual' ? { status: 400, code: 'webhook_signature_invalid' } : notFound;
        const answer = await store.visitor().post(`/payments/webhooks/${provider}`, report, {
          headers: { 'stripe-signature': 't=1,v1=00' },
        });
        observe.refused(provider, answer, right);
      }
      const after = await store.staff.get(`/admin/orders/${order.id}`);
      observe.works('the order afterwards', after);
      observe.is('its payment', after.body.paymentStatus, 'unpaid');
    },
  },
  {
    name: 'payments: downloads beyond the limit',
    tries: 'a buyer downloads a file more often than the grant allows, whole and in ranges, also at the same time',
    async run(target, observe) {
      const store = await target.openStore();
      const article = await createForSale(store, 1000);
      const form = new FormData();
      form.append('file', new Blob(['x'.repeat(1000)], { type: 'audio/mpeg' }), 'song.mp3');
      const uploaded = await fetch(`${target.box.url}/admin/variants/${article.variantId}/downloads`, {
        method: 'POST',
        headers: store.staff.headers,
        body: form,
      });
      observe.works('a file for sale', { status: uploaded.status }, 201);
      const member = await target.createMember(store);
      await bodyOf(member.caller.post('/cart/items', { variantId: article.variantId, quantity: 1 }));
      const order = await bodyOf(member.caller.post('/checkout', { customer: { email: member.email } }));
      await bodyOf(store.staff.post(`/admin/orders/${order.id}/payments`, { method: 'cash', amount: eur(1000) }));
      const grants = async () => (await bodyOf(store.staff.get(`/admin/orders/${order.id}/downloads`))).items;
      const until = Date.now() + 30_000;
      while ((await grants()).length === 0 && Date.now() < until) await sleep(100);
      const [grant] = await grants();
      await bodyOf(store.staff.patch(`/admin/download-grants/${grant.id}`, { maxDownloads: 1 }));
      const [own] = (await bodyOf(member.caller.get(`/member/orders/${order.id}/downloads`))).items;
      const get = (headers: Record<string, string> = {}) =>
        member.caller.get(`/member/downloads/${own.id}`, { headers });
      observe.works('the first download', await get());
      const ended = { status: 410, code: 'download_limit_reached' };
      observe.refused('another one', await get(), ended);
      observe.refused('from the first byte', await get({ range: 'bytes=0-' }), ended);
      // A quarter of the bytes is left, for what connections lose: two parts, and no third one.
      for (const start of [0, 900]) observe.works('a part', await get({ range: `bytes=${start}-${start + 99}` }), 206);
      for (const start of [0, 300, 500, 800]) {
        observe.refused('a further part', await get({ range: `bytes=${start}-${start + 99}` }), ended);
      }
      const other = await target.createMember(store);
      const strange = await other.caller.get(`/member/downloads/${own.id}`);
      observe.refused('by another member', strange, { status: 404, code: 'not_found' });
    },
  },
];
