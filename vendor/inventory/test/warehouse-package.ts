/**
 * A package with several locations, as a third party would write it: staff create warehouses with a rank and stock them;
 * sales are served by warehouses that sell, first those in the country of the sale, then by rank.
 */
import { writePackage } from '@carton/runtime/testing';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table warehouses (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      rank integer not null,
      country text not null,
      sells boolean not null,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table warehouses');
`;

const index = `import { openStockLevels, stockLocations } from '@carton/inventory';
import { variantCreatedListeners } from '@carton/product';
import { definePackage, newId, object, route, Type, Uuid } from '@carton/runtime';

const fields = { rank: Type.Integer(), country: Type.String({ maxLength: 2 }), sells: Type.Boolean() };
const Warehouse = object({ id: Uuid, ...fields }, { $id: 'Warehouse' });

const createWarehouse = route(
  {
    method: 'post', path: '/admin/warehouses', operationId: 'createWarehouse', tag: 'Warehouses',
    summary: 'Create a warehouse', access: 'staff', body: object(fields), status: 201, response: Warehouse,
  },
  ({ db, body }) => db.insert('warehouses', { id: newId(), ...body }),
);

const servedBy = (db, _, { country }) =>
  db.query(
    \`select id from warehouses where tenant_id = $1 and sells
      order by (country = $2) desc nulls last, rank, id\`,
    [country ?? null],
  ).then((rows) => rows.map(({ id }) => id));

const stockEverywhere = async (db, variantIds) => {
  for (const { id } of await db.query('select id from warehouses where tenant_id = $1')) {
    await openStockLevels(db, variantIds, id);
  }
};

export default definePackage({
  routes: [createWarehouse],
  extends: [stockLocations.with(servedBy), variantCreatedListeners.with(stockEverywhere)],
});
`;

/** @param others names of further packages to mount, without their scope */
export function warehousePackage(t: { teardown(task: () => Promise<void>): void }, others: readonly string[]) {
  return writePackage(
    t,
    { name: 'warehouse', dependencies: ['core', 'auth', 'product', 'inventory'], index, migration },
    others,
  );
}
