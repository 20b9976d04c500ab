/**
 * Helpers of payment's tests: a box, orders to be paid, and bound adapters.
 */
import { attachPayment, type PaymentAdapter, paymentAdapters, startPayment } from '@carton/payment';
import { newId, type TenantDatabase } from '@carton/runtime';
import { createTestBox, eventsOf, extendBox, type TestBox, type TestTenant } from '@carton/runtime/testing';
import { place } from '../testing/place.ts';

export { place };

/** Payment and its dependencies, without their scope. */
export const packageNames = [
  'core',
  'auth',
  'tenant',
  'region',
  'product',
  'pricing',
  'inventory',
  'cart',
  'order',
  'payment',
];
export const packages = packageNames.map((name) => `@carton/${name}`);

interface Cleanup {
  teardown(task: () => Promise<void>): void;
}

export function openBox(t: Cleanup, environment?: NodeJS.ProcessEnv): Promise<TestBox> {
  return createTestBox(t, { packages, environment });
}

/** Places an order with a payment started for its cart; returns both ids. */
export async function placeWithPayment(tenant: TestTenant, db: TenantDatabase, total: number, method = 'card') {
  const cartId = newId();
  const amount = { amount: total, currency: 'EUR' };
  const started = await startPayment(db, { cartId, method, amount, email: null });
  const order = await place(tenant, total, { cartId });
  await db.transaction((tx) => attachPayment(tx, order.id, started));
  return { orderId: order.id, id: started.id };
}

/** Records an offline payment. */
export function pay(tenant: TestTenant, orderId: string, amount: number, more: Record<string, unknown> = {}) {
  const body = { amount: { amount, currency: 'EUR' }, method: 'bank_transfer', ...more };
  return tenant.staff.post(`/admin/orders/${orderId}/payments`, body);
}

/**
 * Contributes adapters to the box until the test ends, as packages that depend on payment would. Returns the tenant's
 * database as requests then see it.
 */
export function contribute(
  t: { teardown(task: () => void): void },
  box: TestBox,
  ...adapters: PaymentAdapter[]
): TenantDatabase {
  return extendBox(
    t,
    box,
    adapters.map((adapter) => paymentAdapters.with(adapter)),
  );
}

/** The events of a payment with their amounts, oldest first: `payment.captured 2500`. */
export async function amountsOf(tenant: TestTenant, paymentId: string): Promise<string[]> {
  const events = await eventsOf<{ amount: number }>(tenant, paymentId);
  return events.map(({ type, payload }) => `${type} ${payload.amount}`);
}

export async function statusOf(tenant: TestTenant, orderId: string): Promise<string> {
  return (await tenant.staff.get(`/admin/orders/${orderId}`)).body.paymentStatus;
}

/** Messages of an order's timeline, newest first. */
export async function timelineOf(tenant: TestTenant, orderId: string): Promise<string[]> {
  const { body } = await tenant.staff.get(`/admin/orders/${orderId}/timeline`);
  return body.items.map(({ message }: { message: string }) => message);
}
