/**
 * Other packages record a key as the actor, like a member of staff.
 */

import { openBox, placeStocked } from '@carton/order/testing';
import t from 'tap';
import { createKey } from './keys.ts';

t.test('the history of an order names the key', async (t) => {
  const box = await openBox(t, ['@carton/api-key']);
  const { order } = await placeStocked(box, 3, 1);
  const key = await createKey(box, ['order:read', 'order:write'], { name: 'Robot' });
  t.match(await key.post(`/admin/orders/${order.id}/cancel`, {}), { status: 200 });
  const { items } = (await key.get(`/admin/orders/${order.id}/timeline`)).body;
  t.match(items[0], { type: 'canceled', actor: { type: 'api_key', id: key.id, label: 'Robot' } });
});
