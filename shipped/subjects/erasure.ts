/**
 * A member who has ordered is erased: what is left of each order can still be read, whatever form its address had.
 */
import { createForSale } from '@carton/cart/testing';
import { createMember } from '../../tools/shipped-stack/member.ts';
import { subject } from '../subject.ts';

const structured = { name: 'Ada Lovelace', line1: '1 Main Street', city: 'Paris', postalCode: '75001', country: 'FR' };
const addresses: Record<string, unknown> = {
  'free text': 'Ada Lovelace\n1 Main Street\nParis',
  structured,
  'in part': { city: 'Paris' },
  none: undefined,
};

subject('erasure', async (t, stage) => {
  for (const [form, address] of Object.entries(addresses)) {
    await t.test(`an order with an address: ${form}`, async (t) => {
      const store = await stage.openTenant();
      const { variantId } = await createForSale(store, 1000);
      const { caller, email, password } = await createMember(stage, store);
      await caller.post('/cart/items', { variantId, quantity: 1 });
      const placed = await caller.post('/checkout', {
        customer: { email, name: 'Ada Lovelace', address, billing: address },
      });
      t.match(placed, { status: 201 }, 'placed');
      t.match(await store.staff.post(`/admin/orders/${placed.body.id}/cancel`, {}), { status: 200 }, 'canceled');
      t.equal((await caller.post('/member/erase', { password })).status, 204, 'erased');
      const read = await store.staff.get(`/admin/orders/${placed.body.id}`);
      t.match(read, { status: 200 }, 'the order can be read');
      t.notMatch(JSON.stringify(read.body), /Lovelace|Main Street/, 'without the person');
      t.equal((await store.staff.get('/admin/orders')).status, 200, 'orders can be listed');
      const changed = await store.staff.patch(`/admin/orders/${placed.body.id}`, { metadata: { seen: 'yes' } });
      t.equal(changed.status, 200, 'it can be changed');
    });
  }
});
