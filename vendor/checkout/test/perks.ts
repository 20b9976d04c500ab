/**
 * A package with vouchers and approvals as a third party would write it: its steps use only what checkout exports.
 */
import { createTestBox, packagesOfTier, shortName, type TestBox, writePackage } from '@carton/runtime/testing';
import type { Test } from 'tap';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table vouchers (
      tenant_id uuid not null references tenants (id),
      code text not null,
      amount bigint not null,
      uses_left integer not null check (uses_left >= 0),
      primary key (tenant_id, code)
    );
    create table voucher_choices (
      tenant_id uuid not null,
      cart_id uuid not null,
      code text not null,
      primary key (tenant_id, cart_id),
      foreign key (tenant_id, code) references vouchers (tenant_id, code)
    );
    create table voucher_uses (
      tenant_id uuid not null,
      order_id uuid not null,
      code text not null,
      primary key (tenant_id, order_id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create table approvals (
      tenant_id uuid not null references tenants (id),
      cart_id uuid not null,
      primary key (tenant_id, cart_id)
    );
  \`);
export const down = (knex) => knex.raw('drop table approvals, voucher_uses, voucher_choices, vouchers');
`;

const index = `
import { cartTotals, totalsOrder } from '@carton/cart';
import { orderPlacing, placingOrder } from '@carton/checkout';
import { releaseStock } from '@carton/inventory';
import { defineProblem, definePackage } from '@carton/runtime';

const usedUp = defineProblem({ code: 'voucher_used_up', status: 409, title: 'This voucher is used up' });
const notApproved = defineProblem({ code: 'not_approved', status: 403, title: 'The order is not approved' });

const chosen = 'select voucher_choices.code from voucher_choices where tenant_id = $1 and cart_id = $2';

const voucher = {
  name: 'voucher',
  order: placingOrder.claim,
  problems: [usedUp],
  async claim(tx, { source }) {
    const [row] = await tx.query(
      \`with choice as (\${chosen}),
            used as (update vouchers set uses_left = uses_left - 1
                       where tenant_id = $1 and code = (select code from choice) and uses_left > 0 returning code)
       select (select count(*) from choice) - (select count(*) from used) as short\`,
      [source.id],
    );
    if (row.short > 0) throw usedUp('Another order has used it.');
  },
  write: (tx, { source }, order) =>
    tx.query(
      \`insert into voucher_uses (tenant_id, order_id, code)
       select $1, $3, code from voucher_choices where tenant_id = $1 and cart_id = $2\`,
      [source.id, order.id],
    ),
};

const approval = {
  name: 'approval',
  order: placingOrder.cart - 1,
  requirements: { not_approved: notApproved },
  async require(db, { source, sale }) {
    if (sale.totals.total < 100_000) return [];
    const [row] = await db.query('select cart_id from approvals where tenant_id = $1 and cart_id = $2', [source.id]);
    return row ? [] : [{ code: 'not_approved', detail: 'Ask your manager.' }];
  },
};

const reservation = {
  name: 'reservation',
  order: placingOrder.stock - 1,
  claim: (tx, { source }) => releaseStock(tx, source),
};

export default definePackage({
  routes: [],
  extends: [voucher, approval, reservation].map((step) => orderPlacing.with(step)),
});
`;

/** A box with the package. */
export async function boxWithPerks(t: Test): Promise<TestBox> {
  const written = { name: 'perks', dependencies: ['cart', 'checkout', 'inventory'], index, migration };
  return createTestBox(t, await writePackage(t, written, packagesOfTier('basic').map(shortName)));
}
