/**
 * Queries of the options that are chosen for carts.
 */
import { keepsReferenceData, type TenantDatabase } from '@carton/runtime';
import { pickupType } from '../options/sources.ts';
import type { ChosenMethod } from '../sales/store.ts';

/** Stores an option as the choice for its profile, unless it is one of pickup: that needs a place. */
export function putDelivery(tx: TenantDatabase, cartId: string, optionId: string): Promise<unknown> {
  return tx.query(
    keepsReferenceData(`insert into cart_shipping_methods as chosen (tenant_id, cart_id, profile, option_id)
     select options.tenant_id, $2::uuid, coalesce(options.profile, ''), options.id
       from shipping_options options where options.tenant_id = $1 and options.id = $3 and options.type <> '${pickupType}'
     on conflict (tenant_id, cart_id, profile) do update
        set option_id = excluded.option_id, pickup_location_id = null`),
    [cartId, optionId],
  );
}

export function insertMethods(tx: TenantDatabase, cartId: string, methods: readonly ChosenMethod[]): Promise<unknown> {
  return tx.insertMany(
    'cart_shipping_methods',
    methods.map(({ profile, ...method }) => ({ cartId, profile: profile ?? '', ...method })),
  );
}

export function removeMethods(tx: TenantDatabase, cartId: string): Promise<unknown> {
  return tx.remove('cart_shipping_methods', { cartId });
}

/** Copies the choices of a cart to another, for profiles without a choice; returns whether there were any. */
export async function copyMethods(tx: TenantDatabase, fromId: string, intoId: string): Promise<boolean> {
  const copied = await tx.query(
    `insert into cart_shipping_methods (tenant_id, cart_id, profile, option_id, pickup_location_id)
     select tenant_id, $3, profile, option_id, pickup_location_id
       from cart_shipping_methods where tenant_id = $1 and cart_id = $2
         on conflict do nothing
     returning profile`,
    [fromId, intoId],
  );
  return copied.length > 0;
}

/** Whether goods of a cart are delivered, and not picked up. */
export async function hasDelivery(tx: TenantDatabase, cartId: string): Promise<boolean> {
  const delivered = await tx.query(
    `select 1 from cart_shipping_methods where tenant_id = $1 and cart_id = $2 and pickup_location_id is null limit 1`,
    [cartId],
  );
  return delivered.length > 0;
}
