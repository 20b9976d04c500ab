/**
 * What the service says of a business is personal data of a sole trader: exported with the order, and erased.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, email, french, openStore } from './businesses.ts';

const store = await openStore(t);
const { box, manual } = store;

/** The tables that have the name or the number in any column. */
async function traces(): Promise<string[]> {
  const found: string[] = [];
  for (const table of ['carts', 'members', 'orders', 'tax_number_checks', 'invoices', 'event_outbox']) {
    const rows = await box.owner.query(
      `select 1 from ${table} row where row::text ilike '%cafe creme%' or row::text ilike '%${french}%' limit 1`,
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

t.test('number, name and address are exported, and erased but for the invoice', async (t) => {
  const member = await createMember(box, { email });
  const { id } = await bodyOf(member.patch('/member', { taxNumber: french }));
  await bodyOf(member.post('/cart/items', { variantId: manual, quantity: 1 }));
  await bodyOf(member.put('/cart/shipping-address', addressIn('FR')));
  const order = await bodyOf(member.post('/checkout', { customer: { email } }));
  await bodyOf(box.staff.post(`/admin/orders/${order.id}/invoices`, {}));
  await bodyOf(box.staff.post(`/admin/orders/${order.id}/cancel`, {}));
  await bodyOf(member.post('/cart/items', { variantId: manual, quantity: 1 }));
  await bodyOf(member.patch('/cart', { taxNumber: french }));
  const data = await bodyOf(box.staff.get(`/admin/members/${id}/data-export`));
  t.match(data, {
    carts: { data: Array },
    member: { data: { taxNumber: french } },
    orders: { data: exactly([{ customer: { taxNumber: french }, taxNumberCheck: { name: 'SAS CAFE CREME' } }]) },
  });
  t.match(JSON.stringify(data.carts.data), french);
  t.strictSame(await traces(), ['carts', 'members', 'orders', 'tax_number_checks', 'invoices']);
  t.equal((await box.staff.post(`/admin/members/${id}/erase`)).status, 204);
  t.strictSame(await traces(), ['invoices']);
  const kept = await bodyOf(box.staff.get(`/admin/orders/${order.id}`));
  t.match(kept, { taxExemption: 'reverse_charge', customer: { taxNumber: null } });
  t.match(kept.taxNumberCheck, { status: 'valid', requestIdentifier: /^WAPI/, name: null, address: null });
});
