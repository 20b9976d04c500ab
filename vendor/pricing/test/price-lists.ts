/**
 * A package with price lists, as a vendor would write one: prices by quantity, for groups of members, for a period, or
 * for products that a rule selects. It uses only exports of pricing and product.
 */
import { createTestBox, packagesOfTier, shortName, type TestBox, writePackage } from '@carton/runtime/testing';
import type { Test } from 'tap';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table price_lists (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      currency text not null,
      starts_at timestamptz(3) not null default '1970-01-01',
      ends_at timestamptz(3) not null default '9999-01-01',
      group_id uuid,
      condition jsonb,
      primary key (tenant_id, id)
    );
    create table price_list_entries (
      tenant_id uuid not null,
      list_id uuid not null,
      variant_id uuid not null,
      from_quantity integer not null default 1,
      amount bigint not null check (amount >= 0),
      primary key (tenant_id, list_id, variant_id, from_quantity),
      foreign key (tenant_id, list_id) references price_lists (tenant_id, id)
    );
    create table group_members (
      tenant_id uuid not null references tenants (id),
      group_id uuid not null,
      member_id uuid not null,
      primary key (tenant_id, member_id, group_id)
    );
  \`);
export const down = (knex) => knex.raw('drop table group_members, price_list_entries, price_lists');
`;

const index = `
import { priceOrder, priceSource, priceSources } from '@carton/pricing';
import { memberGroups } from '@carton/product';
import { definePackage, memberAuthenticators } from '@carton/runtime';

const entries = \`
  select lists.id, lists.group_id, lists.condition, entries.variant_id, entries.from_quantity, entries.amount
    from price_lists lists
    join price_list_entries entries on entries.tenant_id = $1 and entries.list_id = lists.id
   where lists.tenant_id = $1 and entries.variant_id = any($2::uuid[]) and lists.currency = $3
     and lists.starts_at <= $4 and lists.ends_at > $4\`;

const priceLists = priceSource({
  name: 'price_list',
  order: priceOrder.priceList,
  reads: (db, items, { currency, time }) => db.query(entries, [items.map(({ variantId }) => variantId), currency, time]),
  conditions: (rows) => rows.flatMap(({ condition }) => condition ?? []),
  price({ variantId, quantity }, rows, { shopper, holds }) {
    const mine = rows.filter(
      (row) =>
        row.variantId === variantId &&
        row.fromQuantity <= quantity &&
        (row.groupId === null || shopper.memberGroups.includes(row.groupId)) &&
        (row.condition === null || holds(row.condition)),
    );
    const [lowest] = mine.sort((one, other) => one.amount - other.amount);
    return lowest ? { amount: lowest.amount, id: lowest.id } : null;
  },
});

const groupsOf = async (db, memberId) => {
  const rows = await db.query('select group_id from group_members where tenant_id = $1 and member_id = $2', [memberId]);
  return rows.map(({ groupId }) => groupId);
};

// Replaces the package that authenticates members.
const memberOf = { identify: async (_, memberId) => ({ memberId }) };

export default definePackage({
  routes: [],
  extends: [priceSources.with(priceLists), memberGroups.with(groupsOf), memberAuthenticators.with(memberOf)],
});
`;

/** A box with that package. */
export async function boxWithPriceLists(t: Test): Promise<TestBox> {
  const written = { name: 'pricelists', dependencies: ['pricing', 'product'], index, migration };
  return createTestBox(t, await writePackage(t, written, packagesOfTier('enterprise').map(shortName)));
}
