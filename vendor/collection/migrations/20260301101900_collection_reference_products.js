// Apart from the tables: in a new database the products come into being between the two.
export const up = (knex) =>
  knex.raw(`
    alter table collection_products add constraint collection_products_product_id
      foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
  `);

export const down = (knex) =>
  knex.raw('alter table collection_products drop constraint collection_products_product_id');
