/**
 * A package that wants to know of every order, as one that mails confirmations does: so that a box that is measured
 * delivers events meanwhile.
 */
import { packagesOfTier } from '@carton/runtime/testing';
import { writePackage } from '../runtime/testing/written-package.ts';
import { shortName } from '../runtime/vendor.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table audience_letters (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      order_id uuid not null,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table audience_letters');
`;

const index = `import { definePackage, newId, subscriber } from '@carton/runtime';
import order from '@carton/order';

const [orderPlaced] = order.events.filter(({ type }) => type === 'order.placed');
export default definePackage({
  routes: [],
  subscribers: [
    subscriber({
      name: 'audience.write-letter',
      events: [orderPlaced],
      handle: (db, { resource }) =>
        db.query('insert into audience_letters (tenant_id, id, order_id) values ($1, $2, $3)', [newId(), resource.id]),
    }),
  ],
});
`;

/** The packages of a basic box, and this one: what a box is started with. */
export function withAudience(t: { teardown(task: () => Promise<void>): void }) {
  const others = packagesOfTier('basic').map(shortName);
  return writePackage(t, { name: 'audience', dependencies: ['core', 'order'], index, migration }, others);
}
