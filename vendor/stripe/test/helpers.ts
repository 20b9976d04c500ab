/**
 * Helpers of Stripe's tests.
 */
import type { TestTenant } from '@carton/runtime/testing';

/** Besides Stripe and its dependencies: what opens a tenant. */
export const packages = ['@carton/auth', '@carton/tenant'];

export async function statusOf(tenant: TestTenant, orderId: string): Promise<string> {
  return (await tenant.staff.get(`/admin/orders/${orderId}`)).body.paymentStatus;
}

/** Messages of an order's timeline, newest first. */
export async function timelineOf(tenant: TestTenant, orderId: string): Promise<string[]> {
  const { body } = await tenant.staff.get(`/admin/orders/${orderId}/timeline`);
  return body.items.map(({ message }: { message: string }) => message);
}
