export const up = (knex) =>
  knex.raw(`
    alter table products add column shipping_profile text;
    create index products_shipping_profile on products (tenant_id, shipping_profile)
      where shipping_profile is not null and deleted_at is null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index products_shipping_profile;
    alter table products drop column shipping_profile;
  `);
