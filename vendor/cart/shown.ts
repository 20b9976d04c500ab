/**
 * The schemas of carts in a box: with the fields that its totals steps add.
 */
import { type HasExtensions, object, type TObject, type TSchema } from '@carton/runtime';
import { stepsOf } from './pricing/totals.ts';
import { AdminCart, Cart } from './schemas.ts';

/** The schema of carts in a box, for a route that returns one and is declared with `withOverrides`. */
export const cartSchema = (box: HasExtensions): typeof Cart => withShown(Cart, 'Cart', box);

/** The schema of carts in a box, as staff see them. */
export const adminCartSchema = (box: HasExtensions): typeof AdminCart => withShown(AdminCart, 'AdminCart', box);

/** @throws Error if carts already have a field of this name */
function withShown<Schema extends TObject>(cart: Schema, $id: string, box: HasExtensions): Schema {
  const steps = stepsOf(box).flatMap(({ name, shows }) => (shows ? [[name, shows.schema] as const] : []));
  const duplicate = steps.find(([name]) => name in cart.properties);
  if (duplicate) throw new Error(`the totals step ${duplicate[0]} shows a field that carts already have`);
  if (steps.length === 0) return cart;
  return object({ ...cart.properties, ...Object.fromEntries(steps) }, { $id }) as TSchema as Schema;
}
