/**
 * A package with a subscriber for every order, as one that mails confirmations has: so that a measured box also delivers
 * events.
 */
import { packagesOfTier } from '@carton/runtime/testing';
import { writePackage } from '../runtime/testing/written-package.ts';
import { shortName } from '../runtime/vendor.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table confirmations (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      order_id uuid not null,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table confirmations');
`;

const index = `import { definePackage, newId, subscriber } from '@carton/runtime';
import order from '@carton/order';

const [orderPlaced] = order.events.filter(({ type }) => type === 'order.placed');
export default definePackage({
  routes: [],
  subscribers: [
    subscriber({
      name: 'confirmations.write',
      events: [orderPlaced],
      handle: (db, { resource }) =>
        db.query('insert into confirmations (tenant_id, id, order_id) values ($1, $2, $3)', [newId(), resource.id]),
    }),
  ],
});
`;

/** The packages of a basic box, and this one. */
export function withOrderSubscriber(t: { teardown(task: () => Promise<void>): void }) {
  const others = packagesOfTier('basic').map(shortName);
  return writePackage(t, { name: 'confirmations', dependencies: ['core', 'order'], index, migration }, others);
}
