export const up = (knex) =>
  knex.raw(`
    alter table orders add column external_id text;
    create unique index orders_external_id on orders (tenant_id, external_id)
      where external_id is not null;
    create index orders_changed on orders (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_changed;
    alter table orders drop column external_id;
  `);
