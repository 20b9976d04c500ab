/**
 * Queries of the details of carts: addresses, the place of pickup, the chosen country. The cart must be locked.
 */
import { json, type TenantDatabase } from '@carton/runtime';
import type { SaleAddress } from '../pricing/sale.ts';
import type { SetCartAddress } from '../schemas.ts';
import type { AddressType } from '../store.ts';

export async function setAddress(
  tx: TenantDatabase,
  cartId: string,
  type: AddressType,
  { name, company, line1, line2, city, province, postalCode, country, phone }: SetCartAddress,
): Promise<void> {
  const optional = (value: string | null | undefined) => value ?? null;
  await tx.query(
    `insert into cart_addresses (tenant_id, cart_id, type, name, company, line1, line2, city, province, postal_code,
                                 country, phone)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (tenant_id, cart_id, type) do update
        set name = excluded.name, company = excluded.company, line1 = excluded.line1, line2 = excluded.line2,
            city = excluded.city, province = excluded.province, postal_code = excluded.postal_code,
            country = excluded.country, phone = excluded.phone, updated_at = now()`,
    [
      cartId,
      type,
      name,
      optional(company),
      line1,
      optional(line2),
      // The column is not null in the former release.
      city ?? '',
      optional(province),
      optional(postalCode),
      country,
      optional(phone),
    ],
  );
}

/** Moves the addresses of one cart to another; existing ones of the other remain. Both carts must be locked. */
export async function moveAddresses(tx: TenantDatabase, fromId: string, toId: string): Promise<void> {
  await tx.query(
    `with moved as (delete from cart_addresses where tenant_id = $1 and cart_id = $2 returning *)
     insert into cart_addresses (tenant_id, cart_id, type, name, company, line1, line2, city, province, postal_code,
                                 country, phone)
     select tenant_id, $3, type, name, company, line1, line2, city, province, postal_code, country, phone from moved
     on conflict (tenant_id, cart_id, type) do nothing`,
    [fromId, toId],
  );
}

/**
 * Sets where the shopper picks up all goods of a cart: its taxes and its region are those of this address. Null: they are
 * delivered. The cart must be locked (`writeCart`).
 */
export async function setPickupAddress(tx: TenantDatabase, cartId: string, address: SaleAddress | null): Promise<void> {
  const { country, province, postalCode } = address ?? {};
  await tx.query(
    `update carts set pickup_address = $3 where tenant_id = $1 and id = $2 and pickup_address is distinct from $3`,
    [cartId, address && json({ country, province, postalCode })],
  );
}

/** Sets or, with null, removes the country that the shopper has chosen. The cart must be locked. */
export async function chooseCountry(tx: TenantDatabase, cartId: string, country: string | null): Promise<void> {
  if (country === null) {
    await tx.query('delete from cart_countries where tenant_id = $1 and cart_id = $2', [cartId]);
    return;
  }
  await tx.query(
    `insert into cart_countries (tenant_id, cart_id, country) values ($1, $2, $3)
     on conflict (tenant_id, cart_id) do update set country = excluded.country`,
    [cartId, country],
  );
}
