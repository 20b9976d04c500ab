export const up = (knex) =>
  knex.raw(`
    create index carts_changed on carts (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index carts_changed;
  `);
