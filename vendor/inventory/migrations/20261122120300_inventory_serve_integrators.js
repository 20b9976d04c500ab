export const up = (knex) =>
  knex.raw(`
    alter table stock_items add column external_id text;
    alter table stock_items add column metadata jsonb not null default '{}';
    create unique index stock_items_external_id on stock_items (tenant_id, external_id)
      where external_id is not null;
    create index stock_levels_changed on stock_levels (tenant_id, updated_at, stock_item_id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index stock_levels_changed;
    alter table stock_items drop column metadata;
    alter table stock_items drop column external_id;
  `);
