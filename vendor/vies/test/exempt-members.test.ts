/**
 * Members whom staff have exempted from taxes.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, email, openStore } from './businesses.ts';

const store = await openStore(t);
const { box, lamp } = store;

t.test('a member buys without tax while staff say why', async (t) => {
  const member = await createMember(box, { email });
  const { id } = await bodyOf(member.get('/member'));
  const order = async () => {
    await bodyOf(member.post('/cart/items', { variantId: lamp, quantity: 1 }));
    const customer = { email, address: addressIn('DE') };
    return bodyOf(member.post('/checkout', { customer }));
  };
  t.match(await order(), { taxExemption: null, totals: { tax: { amount: 2261 } } });
  const taxExempt = 'Certificate 4711';
  t.match(await bodyOf(box.staff.patch(`/admin/members/${id}`, { taxExempt })), { taxExempt });
  const exempt = await order();
  t.match(exempt, { taxExemption: 'exempt_member', taxLines: exactly([]), totals: { tax: { amount: 0 } } });
  const invoice = await bodyOf(box.staff.post(`/admin/orders/${exempt.id}/invoices`, {}));
  t.equal(invoice.taxExemption, 'exempt_member');
  t.match(String((await member.get(`/checkout/${exempt.id}/invoice`)).body), /Exempt from tax/);
  t.notOk('taxExempt' in (await bodyOf(member.get('/member'))), 'the reason is for staff');
  t.match(await member.patch('/member', { taxExempt }), { status: 400 }, 'nobody exempts themself');
  await bodyOf(box.staff.patch(`/admin/members/${id}`, { taxExempt: null }));
  t.match(await order(), { taxExemption: null, totals: { tax: { amount: 2261 } } });
});
