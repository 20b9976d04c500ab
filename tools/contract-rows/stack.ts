/**
 * The rows of the contract's endpoint, authentication, error and rule tables (docs/contract.md), as requests to any running
 * stack and their answers. The name of each test is the section of the contract.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Caller, callerOf } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { repository } from '../packages/sources.ts';
import { testControlPlaneRows } from './control-plane.ts';

/** A box with a store that sells something, and the services of its vendor. */
export interface RunningStack {
  /** Callers of the store. */
  visitor: Caller;
  shopper(): Caller;
  /** The store, named by the website hosting layer. */
  hosted: Caller;
  /** The log of the box since its installation. */
  log: string;
  controlPlaneUrl: string;
  registryUrl: string;
  adminSecret: string;
  registrySecret: string;
  licenseKey: string;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const paymentsMessage = 'Payments are not configured in this environment';

async function fill(caller: Caller, visitor: Caller): Promise<void> {
  const { body } = await visitor.get('/products?limit=1');
  const answer = await caller.post('/cart/items', { variantId: body.items[0].variants[0].id, quantity: 2 });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}
const buyer = { customer: { email: 'ada@example.com' } };

/** Sends the requests of every row, and tests the rules that connect them. */
export async function testStackRows(t: Test, stack: RunningStack): Promise<void> {
  const { visitor, shopper, licenseKey } = stack;
  const controlPlane = callerOf(stack.controlPlaneUrl);
  const admin = callerOf(stack.controlPlaneUrl, { authorization: `Bearer ${stack.adminSecret}` });
  const fillCart = (caller: Caller) => fill(caller, visitor);

  await t.test('What the service does', async (t) => {
    const document = (await visitor.get('/docs/json')).body;
    t.ok(
      '/audit-log' in document.paths || '/admin/audit-log' in document.paths,
      '1: the document has the routes of the entitled packages',
    );
    const cart = shopper();
    await fillCart(cart);
    const placed = await cart.post('/checkout', buyer);
    t.equal(placed.status, 201, '2: converts a cart into an order');
    t.match(
      await cart.get(`/checkout/${placed.body.id}`),
      { status: 200, body: { id: placed.body.id } },
      '2: returns an order',
    );
    t.match(await visitor.get('/health'), { status: 200 }, '2: responds to liveness probes');
    await fillCart(cart);
    const paid = await cart.post('/checkout', { ...buyer, paymentMethod: 'card' });
    t.match(
      paid,
      { status: 503, body: { detail: paymentsMessage } },
      '3: the default adapter returns 503 at every payment step',
    );
    const lines = stack.log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const migrated = lines.filter(({ msg }) => msg === 'migrating').map(({ migration }) => migration);
    t.strictSame(migrated, [...migrated].sort(), '4: migrations run in the order of their timestamps');
    t.ok(migrated.length > 0 && new Set(migrated).size === migrated.length, '4: each exactly once');
    const listening = lines.findIndex(({ msg }) => msg === 'listening');
    t.ok(listening > lines.findIndex(({ msg }) => msg === 'migrations are applied'), '4: before listening');
    t.match(await stack.hosted.get('/store'), { status: 200 }, '6: scoped to the tenant by the hosting layer');
  });

  await t.test('CheckoutDto', async (t) => {
    const cases: [field: string, body: object, status: number][] = [
      ['customer.email is required', { customer: { name: 'Ada' } }, 400],
      ['customer is required', {}, 400],
      ['customer.email is an e-mail address', { customer: { email: 'ada' } }, 400],
      ['no other field', { ...buyer, coupon: 'x' }, 400],
      ['customer.name is a string', { customer: { email: 'a@b.example', name: 1 } }, 400],
      ['notes is a string', { ...buyer, notes: {} }, 400],
      ['address may be a string', { customer: { email: 'a@b.example', address: '1 Main Street' } }, 201],
      [
        'address and billing may be objects',
        { customer: { email: 'a@b.example', address: { city: 'Paris' }, billing: { city: 'Paris' } } },
        201,
      ],
      [
        'all optional detail',
        {
          customer: { email: 'a@b.example', name: 'Ada', phone: '+33 1', address: 'x', billing: 'y' },
          notes: 'Ring twice',
        },
        201,
      ],
    ];
    for (const [field, body, status] of cases) {
      const cart = shopper();
      await fillCart(cart);
      t.equal((await cart.post('/checkout', body)).status, status, field);
    }
  });

  await t.test('Order', async (t) => {
    const [one, other] = [shopper(), shopper()];
    await Promise.all([fillCart(one), fillCart(other)]);
    const items = (await one.get('/cart')).body.items;
    const [first, second] = [await one.post('/checkout', buyer), await other.post('/checkout', buyer)];
    t.equal(first.body.items.length, items.length, 'created from the active cart with its items');
    t.ok(first.body.number && first.body.number !== second.body.number, 'has a generated order number');
  });

  await t.test('Endpoints, box runtime', async (t) => {
    t.match(await visitor.get('/docs'), { status: 200, body: /swagger-ui/ }, 'GET /docs');
    t.match(await visitor.get('/docs/json'), { status: 200, body: { openapi: /^3\.1/ } }, 'GET /docs/json');
    const cart = shopper();
    await fillCart(cart);
    const placed = await cart.post('/checkout', buyer);
    t.match(placed, { status: 201, body: { id: uuid } }, 'POST /checkout');
    t.equal(placed.headers.get('location'), `/checkout/${placed.body.id}`, 'POST /checkout: Location');
    t.strictSame((await cart.get('/cart')).body.items, [], 'POST /checkout clears the cart');
    t.match(
      await cart.get(`/checkout/${placed.body.id}`),
      { status: 200, body: { customer: { email: 'ada@example.com' } } },
      'GET /checkout/:orderId',
    );
    const masked = await visitor.get(`/checkout/${placed.body.id}`);
    t.equal(masked.status, 200, 'GET /checkout/:orderId is public');
    t.notMatch(JSON.stringify(masked.body), 'ada@example.com', 'and masked for anyone else');
    t.match(await visitor.get('/checkout/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'), { status: 404 }, 'an unknown order');
    t.match(await visitor.get('/health'), { status: 200, body: { status: 'ok' } }, 'GET /health');
  });

  await t.test('The rows of the control plane', (t) =>
    testControlPlaneRows(t, { ...stack, url: stack.controlPlaneUrl }),
  );

  await t.test('Endpoints, rules', async (t) => {
    const { token, packages } = (await controlPlane.post('/license/activate', { key: licenseKey })).body;
    const packument = await callerOf(stack.registryUrl, { authorization: `Bearer ${token}` }).get('/@carton%2fcart');
    t.equal(packument.status, 200, '3: used as the registry token');
    const manifests = JSON.parse(await readFile(join(repository, 'vendor/checkout/package.json'), 'utf8'));
    t.ok(
      Object.keys(manifests.dependencies).every((name) => packages.includes(name)),
      "4: the tier's dependency-closed set",
    );
  });

  await t.test('Authentication', async (t) => {
    t.notOk('security' in (await visitor.get('/docs/json')).body, '1: no global security scheme');
  });

  await t.test('Errors', async (t) => {
    const cart = shopper();
    await fillCart(cart);
    const before = (await cart.get('/cart')).body;
    const answer = await cart.post('/checkout', { ...buyer, paymentMethod: 'card' });
    t.match(
      answer,
      { status: 503, body: { title: paymentsMessage, detail: paymentsMessage } },
      'payment step with the no-operation adapter',
    );
    t.strictSame((await cart.get('/cart')).body, before, 'and the cart is unchanged');
    t.match(
      await shopper().post('/checkout', buyer),
      { status: 409, body: { code: 'cart_empty' } },
      'checkout with an empty cart',
    );
  });

  await t.test('Events', async (t) => {
    const { token } = (await controlPlane.post('/license/activate', { key: licenseKey })).body;
    t.ok(token);
    const reports = await admin.get('/telemetry/downloads?limit=100');
    t.ok(
      reports.body.items.some(({ outcome }: { outcome: string }) => outcome === 'allowed'),
      '1: the registry has reported the pull of this box',
    );
  });
}
