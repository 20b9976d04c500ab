// What a sale took is known from its movements: a return reads them to give back exactly that, at the default location
// too. The index replaces stock_movements_elsewhere, which a later release drops.
export const up = (knex) =>
  knex.raw(`
    create index stock_movements_taken on stock_movements (tenant_id, reference_type, reference_id)
      where reference_id is not null;
  `);

export const down = (knex) => knex.raw('drop index stock_movements_taken');
