// tags: what staff mark an order with, as written. order_tags finds orders by tag, newest first: tag_key is the tag in
// lower case and created_at that of the order.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column tags text[] not null default '{}';
    alter table orders add constraint orders_tags check (cardinality(tags) <= 50);
    create table order_tags (
      tenant_id uuid not null,
      order_id uuid not null,
      tag_key text not null,
      created_at timestamptz(3) not null,
      constraint order_tags_pkey primary key (tenant_id, order_id, tag_key),
      constraint order_tags_order foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create index order_tags_newest on order_tags (tenant_id, tag_key, created_at, order_id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table order_tags;
    alter table orders drop column tags;
  `);
