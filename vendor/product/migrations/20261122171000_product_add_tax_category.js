export const up = (knex) =>
  knex.raw(`
    alter table products add column tax_category text;
    create index products_tax_category on products (tenant_id, tax_category)
      where tax_category is not null and deleted_at is null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index products_tax_category;
    alter table products drop column tax_category;
  `);
