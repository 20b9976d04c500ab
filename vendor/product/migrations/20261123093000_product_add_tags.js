// tags: as written. product_tags finds products by tag: tag_key is the tag in lower case, product_created_at the time of
// the product.
export const up = (knex) =>
  knex.raw(`
    alter table products add column tags text[] not null default '{}';
    create table product_tags (
      tenant_id uuid not null,
      product_id uuid not null,
      tag_key text not null,
      product_created_at timestamptz(3) not null,
      primary key (tenant_id, product_id, tag_key),
      constraint product_tags_product foreign key (tenant_id, product_id) references products (tenant_id, id)
    );
    create index product_tags_newest on product_tags (tenant_id, tag_key, product_created_at, product_id);
  `);

export const down = (knex) => knex.raw('drop table product_tags; alter table products drop column tags');
