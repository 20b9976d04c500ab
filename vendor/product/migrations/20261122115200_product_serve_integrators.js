export const up = (knex) =>
  knex.raw(`
    alter table products add column external_id text;
    create unique index products_external_id on products (tenant_id, external_id)
      where external_id is not null and deleted_at is null;
    create index products_changed on products (tenant_id, updated_at, id) where deleted_at is null;
    alter table product_variants add column external_id text;
    alter table product_variants add column metadata jsonb not null default '{}';
    create unique index product_variants_external_id on product_variants (tenant_id, external_id)
      where external_id is not null and deleted_at is null;
    create index product_variants_changed on product_variants (tenant_id, updated_at, id) where deleted_at is null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index product_variants_changed;
    alter table product_variants drop column metadata;
    alter table product_variants drop column external_id;
    drop index products_changed;
    alter table products drop column external_id;
  `);
