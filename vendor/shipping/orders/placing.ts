/**
 * The step of placing an order that requires usable shipping options, and records them.
 */
import { type Placing, type PlacingStep, placingOrder, type Requirement } from '@carton/checkout';
import { findOrder, unknownOrder } from '@carton/order';
import { json, Money, money, nullable, object, type Static, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import { shippingMethodRequired, shippingOptionUnavailable } from '../problems.ts';
import { linesOf, parcelsOf, quoteOf } from '../sales/quotes.ts';
import { readShipping } from '../sales/reads.ts';
import { type CartShipping, ShippingPickupLocation, shippingStep } from '../sales/step.ts';
import { shippingSettings } from '../settings.ts';

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
  async write(tx, placing, { id: orderId }) {
    const chosen = shippingOf(placing).filter(({ state }) => state === 'chosen');
    await tx.insertMany(
      'order_shipping_methods',
      chosen.map(({ profile, optionId, code, name, type, price, pickupLocation }) => ({
        ...{ orderId, profile: profile ?? '', optionId, code, name, type, amount: price?.amount },
        pickupLocation: pickupLocation && json(pickupLocation),
      })),
    );
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

export const OrderShippingMethods = object(
  {
    items: Type.Array(
      object(
        {
          profile: nullable(
            Type.String({ description: 'Code of the profile; null for the default profile', examples: ['bulky'] }),
          ),
          optionId: Uuid,
          code: Type.String({ examples: ['standard'] }),
          name: Type.String({ examples: ['Standard shipping'] }),
          type: Type.String({ examples: ['flat'] }),
          price: Money,
          pickupLocation: nullable(ShippingPickupLocation),
        },
        { $id: 'OrderShippingMethod' },
      ),
    ),
  },
  { $id: 'OrderShippingMethods' },
);
export type OrderShippingMethods = Static<typeof OrderShippingMethods>;

interface Row extends Omit<OrderShippingMethods['items'][number], 'price'> {
  amount: number;
}

/** The options chosen for an order, by profile, at their prices before discounts. @throws not_found (404) */
export async function findOrderShipping(db: TenantDatabase, orderId: string): Promise<OrderShippingMethods> {
  const order = await findOrder(db, orderId);
  if (!order) throw unknownOrder(orderId);
  const rows = await db.query<Row>(
    `select nullif(profile, '') as profile, option_id, code, name, type, amount, pickup_location
       from order_shipping_methods where tenant_id = $1 and order_id = $2 order by 1 nulls first`,
    [orderId],
  );
  return { items: rows.map(({ amount, ...row }) => ({ ...row, price: money(amount, order.currency) })) };
}
