/**
 * Queries of the lines of carts. The cart must be locked: its version tells those who waited for the lock that they changed
 * (`../store.ts`).
 */
import { titleOfVariant } from '@carton/product';
import { json, keepsReferenceData, newId, type TenantDatabase } from '@carton/runtime';
import type { LineProperties } from '../pricing/sale.ts';
import { maxLineQuantity } from '../schemas.ts';
import type { CartLine } from '../store.ts';
import { keyOfProperties } from './properties.ts';

const addText = keepsReferenceData(
  `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key, added_title)
   values ($1, $2, $3, $4, $5, $6, $7, ${titleOfVariant('$4')})
   on conflict (tenant_id, cart_id, variant_id, properties_key) do update
      set quantity = cart_line_items.quantity + excluded.quantity, added_title = excluded.added_title,
          updated_at = now()
    where cart_line_items.quantity + excluded.quantity <= ${maxLineQuantity}
   returning id`,
);

/**
 * Adds a quantity to the line of a variant with these properties; creates the line if necessary. The line keeps the title.
 * @param properties normalized
 * @returns the id of the line, null if its quantity would exceed the maximum
 */
export async function addToLine(
  tx: TenantDatabase,
  cartId: string,
  { variantId, quantity, properties }: { variantId: string; quantity: number; properties: LineProperties },
): Promise<string | null> {
  const [line] = await tx.query<{ id: string }>(addText, [
    newId(),
    cartId,
    variantId,
    quantity,
    json(properties),
    keyOfProperties(properties),
  ]);
  return line?.id ?? null;
}

/**
 * Replaces all lines of a locked cart, in one statement. Lines with the same variant and properties keep their id.
 * @param lines distinct by variant and properties, which are normalized
 */
export async function replaceLines(
  tx: TenantDatabase,
  cartId: string,
  lines: readonly Pick<CartLine, 'variantId' | 'quantity' | 'properties'>[],
): Promise<void> {
  const target = lines.map(({ variantId, quantity, properties }) => ({
    ...{ id: newId(), variant_id: variantId, quantity, properties, key: keyOfProperties(properties) },
  }));
  await tx.query(
    keepsReferenceData(`with target as materialized (
       select * from jsonb_to_recordset($3::jsonb)
                  as target (id uuid, variant_id uuid, quantity integer, properties jsonb, key text)
     ),
     removed as (
       delete from cart_line_items
        where tenant_id = $1 and cart_id = $2
          and (variant_id, properties_key) not in (select variant_id, key from target)
     )
     insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key,
                                  added_title)
     select $1, id, $2, variant_id, quantity, properties, key, ${titleOfVariant('target.variant_id')} from target
     on conflict (tenant_id, cart_id, variant_id, properties_key) do update
        set quantity = excluded.quantity, added_title = excluded.added_title, updated_at = now()
      where cart_line_items.quantity <> excluded.quantity`),
    [cartId, json(target)],
  );
}

/** Sets the quantity of a line; false if the cart has no such line. */
export async function setQuantity(tx: TenantDatabase, cartId: string, id: string, quantity: number): Promise<boolean> {
  const lines = await tx.query(
    `update cart_line_items set quantity = $4, updated_at = now()
      where tenant_id = $1 and cart_id = $2 and id = $3
     returning id`,
    [cartId, id, quantity],
  );
  return lines.length > 0;
}

/** Removes one line or all lines of a cart; returns the number removed. */
export async function removeLines(tx: TenantDatabase, cartId: string, id?: string): Promise<number> {
  return (await tx.remove('cart_line_items', { cartId, id })).length;
}

/**
 * Moves the lines of one cart to another. Quantities of a variant with the same properties add up, to the maximum of a
 * line. Both carts must be locked.
 */
export async function moveLines(tx: TenantDatabase, fromId: string, toId: string): Promise<void> {
  await tx.query(
    `with added as (
       update cart_line_items existing
          set quantity = least(existing.quantity + moved.quantity, ${maxLineQuantity}), updated_at = now()
         from cart_line_items moved
        where existing.tenant_id = $1 and existing.cart_id = $3
          and moved.tenant_id = $1 and moved.cart_id = $2 and moved.variant_id = existing.variant_id
          and moved.properties_key = existing.properties_key
       returning moved.id
     ),
     removed as (delete from cart_line_items where tenant_id = $1 and cart_id = $2 and id in (select id from added))
     update cart_line_items set cart_id = $3
      where tenant_id = $1 and cart_id = $2 and id not in (select id from added)`,
    [fromId, toId],
  );
}
