/**
 * The step of placing an order that requires usable shipping options, and records them.
 */
import { AllSent, type Placing, type PlacingStep, placingOrder, type Requirement } from '@carton/checkout';
import type { TenantDatabase } from '@carton/runtime';
import { shippingMethodRequired, shippingOptionUnavailable } from '../problems.ts';
import { linesOf, parcelsOf, quoteOf } from '../sales/quotes.ts';
import { readShipping } from '../sales/reads.ts';
import type { CartShipping } from '../sales/schemas.ts';
import { shippingStep } from '../sales/step.ts';
import { shippingSettings } from '../settings.ts';
import { insertMethods } from './store.ts';

const shippingOf = ({ sale }: Placing) => (sale.shown[shippingStep.name] ?? []) as CartShipping[];

export const placingStep: PlacingStep = {
  name: 'shipping',
  order: placingOrder.cart,
  requirements: {
    shipping_option_unavailable: shippingOptionUnavailable,
    shipping_method_required: shippingMethodRequired,
  },
  async require(db, placing) {
    const shipping = shippingOf(placing);
    const unavailable = shipping.filter(({ state }) => state === 'unavailable').map(unavailableRequirement);
    const undecided = shipping.filter(({ state }) => state === 'none');
    if (undecided.length === 0 || !shippingSettings.of(placing.store).required) return unavailable;
    return [...unavailable, ...(await missing(db, placing, undecided))];
  },
  write(tx, placing, { id: orderId }) {
    const chosen = shippingOf(placing).filter(({ state }) => state === 'chosen');
    return chosen.length === 0 ? undefined : new AllSent(insertMethods(tx, orderId, chosen));
  },
};

function unavailableRequirement({ name }: CartShipping): Requirement {
  const detail = `${name ?? 'The chosen shipping option'} cannot be used any more. Choose another shipping option.`;
  return { code: 'shipping_option_unavailable', detail };
}

/**
 * Requires a choice for all goods that are shipped, unless the store has no options at all. Where none is offered, as for an
 * address in none of its zones, another address may meet it: goods are not shipped free of charge because no option fits.
 */
async function missing(
  db: TenantDatabase,
  { sale }: Placing,
  undecided: readonly CartShipping[],
): Promise<Requirement[]> {
  const read = await readShipping(db, sale.sale, undefined, true);
  if (read.options.length === 0) return [];
  const parcels = parcelsOf(linesOf(sale), sale.sale.currency, read.profiles);
  const isOffered = ({ profile }: CartShipping) =>
    read.options.some((option) => option.profile === profile && !('reason' in quoteOf(option, parcels, read)));
  const code = 'shipping_method_required';
  if (undecided.every(isOffered)) return [{ code, detail: 'Choose a shipping option.' }];
  const detail = read.hasCountry
    ? 'The store has no shipping option for all goods in the cart and this address. Choose another address.'
    : 'The shipping address needs a country to which the store ships.';
  return [{ code, detail, errors: [{ in: 'body', pointer: '/customer/address', detail: noOption }] }];
}

const noOption = 'must be an address that the store ships to';
