// Row-level security takes an index only where the comparison is one of plain columns: not of lower(title).
export const up = (knex) =>
  knex.raw(`
    alter table products add column title_key text generated always as (lower(title)) stored;
    drop index products_published_title;
    drop index products_published_newest;
    create index products_published_title on products (tenant_id, title_key, id)
      where status = 'published' and deleted_at is null;
    create index products_status on products (tenant_id, status, created_at, id) where deleted_at is null;
    drop index product_variants_barcode;
    drop index product_variants_product;
    create index product_variants_barcode on product_variants (tenant_id, barcode, created_at, id)
      where deleted_at is null;
    create index product_variants_product on product_variants (tenant_id, product_id, position, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index product_variants_product;
    drop index product_variants_barcode;
    create index product_variants_barcode on product_variants (tenant_id, barcode) where deleted_at is null;
    create index product_variants_product on product_variants (tenant_id, product_id, position);
    drop index products_status;
    drop index products_published_title;
    create index products_published_newest on products (tenant_id, created_at, id)
      where status = 'published' and deleted_at is null;
    create index products_published_title on products (tenant_id, lower(title), id)
      where status = 'published' and deleted_at is null;
    alter table products drop column title_key;
  `);
