export const up = (knex) =>
  knex.raw(`
    -- in_stock: some is available at one of the locations; whatever moves stock keeps it right. product_id: null once the
    -- variant is deleted. sellable lists the products of which shoppers can buy something.
    alter table stock_items add column in_stock boolean not null default false;
    alter table stock_items add column product_id uuid;
    alter table stock_items add column sellable boolean
      generated always as (in_stock or not tracked or back_order_policy = 'allow') stored;
    update stock_items set in_stock = levels.in_stock
      from (select tenant_id, stock_item_id, bool_or(on_hand > reserved) as in_stock
              from stock_levels group by tenant_id, stock_item_id) as levels
     where levels.tenant_id = stock_items.tenant_id and levels.stock_item_id = stock_items.id and levels.in_stock;
    update stock_items set product_id = variants.product_id
      from (select tenant_id, id, product_id from product_variants where deleted_at is null) as variants
     where variants.tenant_id = stock_items.tenant_id and variants.id = stock_items.id;
    create index stock_items_sellable on stock_items (tenant_id, sellable, product_id);
    create index stock_items_product on stock_items (tenant_id, product_id, sellable);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index stock_items_product;
    drop index stock_items_sellable;
    alter table stock_items drop column sellable;
    alter table stock_items drop column product_id;
    alter table stock_items drop column in_stock;
  `);
