/**
 * A box whose store has the taxes of a tax provider, which is a process of its own, and rates that apply without it.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, type RunningSimulator, type TestBox, type TestTenant } from '@carton/runtime/testing';
import { startTaxService, taxServiceSettings } from '@carton/stripe/testing';
import type { Test } from 'tap';
import { addressIn, createArticle, createRate } from './helpers.ts';

export interface ProviderBox {
  box: TestBox;
  service: RunningSimulator;
  /** An article of 19.99 EUR. */
  shirt: string;
}

/** Starts the provider, which answers without faults before each test, and the box. */
export async function createProviderBox(t: Test): Promise<ProviderBox> {
  const service = await startTaxService();
  t.teardown(() => service.stop());
  // A circuit that opens stays open for a second.
  const environment = { ...taxServiceSettings(service), TAX_PROVIDER_PAUSE: '1', PAYMENT_ADAPTERS: 'manual' };
  const box = await createTestBox(t, { tier: 'basic', environment });
  await chooseProvider(box);
  // It differs from the provider's.
  await createRate(box, { code: 'estimate', name: 'Estimate', country: 'DE', rate: 10 });
  t.beforeEach(() => service.setMode('ok'));
  return { box, service, shirt: await createArticle(box, 1999) };
}

export const chooseProvider = ({ staff }: TestTenant, settings: Record<string, unknown> = {}) =>
  bodyOf(staff.patch('/admin/store', { settings: { tax: { provider: 'stripe', ...settings } } }));

export const buyer = { customer: { email: 'ada@example.com' } };
/** The taxes in Germany: of the provider, and by the rates of the store. */
export const byProvider = (amount: number) => [`vat 19 % ${amount}`];
export const byRates = (amount: number) => [`estimate 10 % ${amount}`];

let street = 0;

/** An address that nobody has asked about. */
export const newAddress = (more: object = {}) => ({ ...addressIn('DE'), line1: `${++street} New Street`, ...more });

/** A shopper with a cart that goes to an address, by default with one shirt. */
export async function cartTo({ box, shirt }: ProviderBox, address: object, ...items: [string, number][]) {
  const shopper = await shopperWith(box, ...(items.length > 0 ? items : [[shirt, 1] as [string, number]]));
  const cart = await bodyOf(shopper.put('/cart/shipping-address', address));
  return { shopper, cart };
}

/** The number of calls that the provider has received in a test. */
export const callsOf = async ({ service }: ProviderBox) => (await service.state()).calls;
