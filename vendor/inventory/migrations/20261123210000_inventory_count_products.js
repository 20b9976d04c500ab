export const up = (knex) =>
  knex.raw(`
    -- How many units of each published product shoppers can buy: as of the last refresh, since sales of all variants of a
    -- product would wait for each other here. Without a reference to products, whose check would wait for whoever changes the
    -- product.
    create table product_stock (
      tenant_id uuid not null,
      product_id uuid not null,
      units bigint not null,
      constraint product_stock_pkey primary key (tenant_id, product_id)
    );
    create index product_stock_units on product_stock (tenant_id, units, product_id);

    -- Changes until then are counted.
    create table product_stock_refreshes (
      tenant_id uuid not null,
      refreshed_until timestamptz(3) not null,
      constraint product_stock_refreshes_pkey primary key (tenant_id)
    );

    insert into product_stock (tenant_id, product_id, units)
    select items.tenant_id, items.product_id,
           case when bool_or(not items.tracked or items.back_order_policy = 'allow') then 1000000000000
                else coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0) end
      from stock_items items
      join products on products.tenant_id = items.tenant_id and products.id = items.product_id
       and products.status = 'published' and products.deleted_at is null
      left join stock_levels levels on levels.tenant_id = items.tenant_id and levels.stock_item_id = items.id
     group by items.tenant_id, items.product_id;
  `);

export const down = (knex) =>
  knex.raw(`
    drop table product_stock_refreshes;
    drop table product_stock;
  `);
