/**
 * Tenants: staff, keys and shoppers of one store reach for what is in another one.
 */
import { bodyOf, type Caller, callerOf } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { keyOf, type Sale, sellIn, startPayment } from '../sale.ts';

const notFound = { status: 404, code: 'not_found' };
const unauthenticated = { status: 401, code: 'unauthenticated' };

type Try = [what: string, method: string, path: string, body?: unknown];

/** Without them a store issues no invoices. */
const seller = {
  legalName: 'Store Ltd',
  address: '1 High Street\n75001 Paris',
};
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const call = (caller: Caller, [, method, path, body]: Try) => caller.call(method, path, { body });

/** Reads by the bare id of a resource. */
function readsOf({ order, article }: Sale, payment: string): Try[] {
  return [
    ['order', 'GET', `/admin/orders/${order.id}`],
    ['timeline', 'GET', `/admin/orders/${order.id}/timeline`],
    ['downloads', 'GET', `/admin/orders/${order.id}/downloads`],
    ['shipping methods', 'GET', `/admin/orders/${order.id}/shipping-methods`],
    ['payment', 'GET', `/admin/payments/${payment}`],
    ['product', 'GET', `/admin/products/${article.productId}`],
    ['variant', 'GET', `/admin/variants/${article.variantId}`],
    ['prices', 'GET', `/admin/variants/${article.variantId}/prices`],
    ['stock', 'GET', `/admin/stock-items/${article.stockItemId}`],
    ['movements', 'GET', `/admin/stock-items/${article.stockItemId}/movements`],
  ];
}

/** Changes by a bare id, in an order in which the own staff can make them, and the status that it then gets. */
function changesOf({ order, article }: Sale, payment: string): [change: Try, own: number][] {
  const sale = `/admin/orders/${order.id}`;
  const prices = [{ currency: 'EUR', amount: 1 }];
  return [
    [['payment by hand', 'POST', `${sale}/payments`, { method: 'cash', amount: eur(100) }], 201],
    [['capture', 'POST', `/admin/payments/${payment}/capture`, {}], 200],
    [['refund', 'POST', `/admin/payments/${payment}/refunds`, { amount: eur(1) }], 201],
    [['fulfillment', 'POST', `${sale}/fulfillments`, {}], 201],
    [['invoice', 'POST', `${sale}/invoices`, {}], 201],
    [['note', 'POST', `${sale}/notes`, { note: 'x' }], 201],
    [['links of downloads', 'POST', `${sale}/downloads/send`], 409],
    [['order', 'PATCH', sale, { metadata: { seen: true } }], 200],
    [['archive', 'POST', `${sale}/archive`], 200],
    [
      ['stock', 'POST', `/admin/stock-items/${article.stockItemId}/adjustments`, { quantity: -1, reason: 'damaged' }],
      201,
    ],
    [['prices', 'PUT', `/admin/variants/${article.variantId}/prices`, { prices }], 200],
    [['variant', 'PATCH', `/admin/variants/${article.variantId}`, { sku: 'X-1' }], 200],
    [['product', 'PATCH', `/admin/products/${article.productId}`, { title: 'Other' }], 200],
    [['product', 'DELETE', `/admin/products/${article.productId}`], 204],
  ];
}

export const tenants: readonly Attack[] = [
  {
    name: 'tenants: staff of another store',
    tries:
      'the owner of another store reads and changes orders, payments and stock by their bare ids, also with no lines',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      await bodyOf(store.staff.patch('/admin/store', seller));
      const sale = await sellIn(store);
      const payment = await startPayment(sale.shopper, sale.order.id);
      const reads = readsOf(sale, payment);
      for (const each of reads) {
        observe.works(`the own staff reads: ${each[0]}`, await call(store.staff, each));
        observe.refused(`${each[0]}`, await call(other.staff, each), notFound);
      }
      for (const [change, own] of changesOf(sale, payment)) {
        observe.refused(`${change[1]} ${change[0]}`, await call(other.staff, change), notFound);
        observe.works(`the own staff: ${change[1]} ${change[0]}`, await call(store.staff, change), own);
      }
    },
  },
  {
    name: 'tenants: lists and filters',
    tries: 'the owner of another store lists everything, also filtered by ids of the first store',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const { order, article, email } = await sellIn(store);
      const payment = await startPayment(store.shopper(), order.id);
      await keyOf(store, target.box.url, ['core:read']);
      await bodyOf(store.staff.post(`/admin/orders/${order.id}/fulfillments`, {}));
      const { variantId, productId } = article;
      const lists = [
        ...['/admin/orders', '/admin/orders?status=placed', `/admin/orders?q=${encodeURIComponent(email)}`],
        ...['/admin/payments', `/admin/payments?orderId=${order.id}`, '/admin/fulfillments', '/admin/api-keys'],
        ...[`/admin/fulfillments?orderId=${order.id}`, '/admin/products', `/admin/variants?productId=${productId}`],
        ...['/admin/stock-items', `/admin/stock-items?variantId=${variantId}`, '/admin/users', '/admin/notifications'],
        '/admin/products?updatedAfter=2020-01-01T00:00:00Z',
      ];
      for (const path of lists) {
        const own = await store.staff.get(path);
        observe.works(`the own staff: ${path}`, own);
        const ids = own.body.items.map(({ id }: { id: string }) => id);
        const theirs = await other.staff.get(path);
        observe.refused(path, theirs, { status: 200 });
        const seen = theirs.body.items.filter(({ id }: { id: string }) => ids.includes(id)).length;
        observe.is(`rows of the first store in ${path.split('?')[0]}`, seen, 0);
      }
      const found = await store.staff.get(`/admin/payments?orderId=${order.id}`);
      observe.is('the own payment', found.body.items[0]?.id ?? null, payment);
      const shown = await other.visitor().get('/products');
      observe.works('products of the other store', shown);
      observe.is('how many', shown.body.items.length, 0);
    },
  },
  {
    name: 'tenants: no lines',
    tries: 'refunds, fulfillments and credit notes without a line, of an order of another store, by its id alone',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      await bodyOf(store.staff.patch('/admin/store', seller));
      const sale = await sellIn(store);
      const payment = await startPayment(sale.shopper, sale.order.id);
      const order = `/admin/orders/${sale.order.id}`;
      observe.works('the capture', await store.staff.post(`/admin/payments/${payment}/capture`, {}));
      const { id: invoice } = await bodyOf(store.staff.post(`${order}/invoices`, {}));
      const paths = [
        `/admin/payments/${payment}/refunds`,
        `${order}/fulfillments`,
        `/admin/invoices/${invoice}/credit-notes`,
      ];
      for (const path of paths) {
        for (const body of [{ lines: [] }, { items: [] }, { lines: [], items: [] }]) {
          const answer = await other.staff.post(path, body);
          // Neither is in the schema: it is refused before anything is looked up.
          observe.refused(`${path.split('/').at(-1)} with ${Object.keys(body)}`, answer, {
            status: 400,
            code: 'invalid_request',
          });
        }
      }
      const after = await store.staff.get(order);
      observe.works('the order afterwards', after);
      observe.is('its payment', after.body.paymentStatus, 'paid');
      observe.is('its fulfillment', after.body.fulfillmentStatus, 'unfulfilled');
      observe.is('its refunds', after.body.refunded.amount, 0);
    },
  },
  {
    name: 'tenants: tokens elsewhere',
    tries: 'the tokens of staff, a member and an API key are sent to another store',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const member = await target.createMember(store);
      const key = await keyOf(store, target.box.url, ['order:read']);
      const moved = ({ headers }: Pick<Caller, 'headers'>) =>
        callerOf(target.box.url, { ...other.visitor().headers, authorization: String(headers.authorization) });
      const cases: [string, Caller, string][] = [
        ['staff', store.staff, '/admin/orders'],
        ['key', key, '/admin/orders'],
        ['member', member.caller, '/member'],
      ];
      for (const [what, caller, path] of cases) {
        observe.works(`${what} in the own store`, await caller.get(path));
        observe.refused(what, await moved(caller).get(path), unauthenticated);
      }
    },
  },
  {
    name: 'tenants: orders of shoppers',
    tries:
      'another caller, and a member, of the same store and of another one read, pay and cancel the order of a guest by its id',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const { order, shopper, email } = await sellIn(store);
      const path = `/checkout/${order.id}`;
      const own = await shopper.get(path);
      observe.works('the guest', own);
      observe.is('the address of the guest', own.body.customer.email, email);
      const masked = await store.visitor().get(path);
      observe.works('anyone with the link, without the person', masked);
      observe.is('the person is named', JSON.stringify(masked.body).includes(email), false);
      observe.is('the name is there', JSON.stringify(masked.body).includes('Lovelace'), false);
      observe.refused('in another store', await other.visitor().get(path), notFound);
      for (const caller of [other.visitor(), other.shopper()]) {
        const paid = await caller.post(`${path}/payment-sessions`, { paymentMethod: 'bank_transfer' });
        observe.refused('a payment in another store', paid, notFound);
        observe.refused('the confirmation there', await caller.get(`${path}/confirmation`), notFound);
        observe.refused('the invoice there', await caller.get(`${path}/invoice`), notFound);
      }
      for (const { caller } of [await target.createMember(store), await target.createMember(other)]) {
        observe.works('the orders of the member', await caller.get('/member/orders'));
        observe.refused('among them', await caller.get(`/member/orders/${order.id}`), notFound);
        observe.refused('canceled', await caller.post(`/member/orders/${order.id}/cancel`, {}), notFound);
        observe.refused('parcels', await caller.get(`/member/orders/${order.id}/fulfillments`), notFound);
        observe.refused('downloads', await caller.get(`/member/orders/${order.id}/downloads`), notFound);
      }
    },
  },
  {
    name: 'tenants: members of the same store',
    tries: 'a member reads, changes and ends addresses, orders and sessions of another member by their ids',
    async run(target, observe) {
      const store = await target.openStore();
      const [victim, attacker] = [await target.createMember(store), await target.createMember(store)];
      const address = { name: 'Ada', line1: '1 Main Street', city: 'Paris', postalCode: '75001', country: 'FR' };
      const { id } = await bodyOf(victim.caller.post('/member/addresses', address));
      const path = `/member/addresses/${id}`;
      observe.works('the own address', await victim.caller.patch(path, { city: 'Lyon' }));
      observe.refused('the address, changed', await attacker.caller.patch(path, { city: 'Nowhere' }), notFound);
      observe.refused('the address, removed', await attacker.caller.delete(path), notFound);
      const [session] = (await bodyOf(victim.caller.get('/member/sessions'))).items;
      observe.refused('the log-in', await attacker.caller.delete(`/member/sessions/${session.id}`), notFound);
      observe.works('the victim is still logged in', await victim.caller.get('/member'));
      const listed = await victim.caller.get('/member/addresses');
      observe.is('the address', listed.body.items[0].city, 'Lyon');
    },
  },
  {
    name: 'tenants: the store of a request',
    tries: 'the store is named without, and with a wrong, hosting secret, and by the forms of a host',
    async run(target, observe) {
      const store = await target.openStore();
      const { box } = target;
      const named = { 'x-tenant-slug': store.slug };
      observe.works('with the secret', await store.visitor().get('/store'));
      const wrong = ['', 'wrong', box.secrets.operator, `${box.secrets.hosting}x`, box.secrets.hosting.slice(0, -1)];
      for (const secret of wrong) {
        const headers = secret === '' ? named : { ...named, 'x-hosting-secret': secret };
        const answer = await callerOf(box.url, headers).get('/store');
        observe.refused('without the right secret', answer, { status: 403, code: 'hosting_secret_required' });
      }
      const domains = `/admin/tenants/${store.id}/domains`;
      const host = `shop.${store.slug}.example`;
      observe.works('the operator adds a host', await box.operator.post(domains, { host }), 201);
      observe.works('by the host', await callerOf(box.url, { 'x-forwarded-host': host }).get('/store'));
      for (const spelling of [`evil.${host}`, `${host}.evil.example`, `${host}@evil.example`, `xn--${host}`]) {
        const answer = await callerOf(box.url, { 'x-forwarded-host': spelling }).get('/store');
        const right = spelling.includes('@')
          ? { status: 400, code: 'invalid_request' }
          : { status: 404, code: 'tenant_not_found' };
        observe.refused(spelling.replace(store.slug, ':slug'), answer, right);
      }
    },
  },
  {
    name: 'tenants: secrets of the box',
    tries: 'operations of the operator and of the hosting layer are called by staff, and with the secret of the other',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const { box } = target;
      const path = `/admin/tenants/${other.id}`;
      observe.works('the operator', await box.operator.get(path));
      for (const [method, tail, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'Taken' }],
        ['GET', '/domains', undefined],
        ['POST', '/domains', { host: `taken.${store.slug}.example` }],
        ['GET', '/quotas', undefined],
        ['POST', '/export', undefined],
        ['GET', '/export', undefined],
        ['DELETE', '', undefined],
      ] as const) {
        const answer = await store.staff.call(method, `${path}${tail}`, { body });
        observe.refused(`${method} of another store${tail}`, answer, notFound);
      }
      const lookup = `/tenants/lookup?host=shop.${other.slug}.example`;
      for (const secret of [box.secrets.hosting, box.secrets.metrics, target.settings.secrets.admin]) {
        const caller = callerOf(box.url, { authorization: `Bearer ${secret}` });
        observe.refused('the secret of another', await caller.get('/admin/tenants'), unauthenticated);
      }
      const asOperator = callerOf(box.url, { 'x-hosting-secret': box.secrets.operator });
      observe.refused('the look-up with the operator’s secret', await asOperator.get(lookup), unauthenticated);
      const metrics = callerOf(box.url, { authorization: `Bearer ${box.secrets.operator}` });
      observe.refused('metrics of a store’s staff', await store.staff.get('/metrics'), unauthenticated);
      observe.works('metrics of the operator', await metrics.get('/metrics'));
    },
  },
];
