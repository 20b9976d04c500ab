export const up = (knex) =>
  knex.raw(`
    -- low: tracked, and with no more available over all locations than the low-stock level. Whatever moves stock or
    -- changes the item keeps it right. A new item has nothing on hand.
    alter table stock_items add column low boolean not null default true;
    create index stock_items_low on stock_items (tenant_id, low, created_at, id);

    -- low_at: the low-stock level of the item, null while it is not tracked; so whoever has locked the levels knows it as
    -- it is now.
    alter table stock_levels add column low_at integer default 0;
    update stock_levels set low_at = case when stock_items.tracked then stock_items.low_stock_level end
      from stock_items
     where stock_items.tenant_id = stock_levels.tenant_id and stock_items.id = stock_levels.stock_item_id
       and (not stock_items.tracked or stock_items.low_stock_level <> 0);
    update stock_items set low = false
      from (select tenant_id, stock_item_id, sum(on_hand - reserved) as available, max(low_at) as low_at
              from stock_levels group by tenant_id, stock_item_id) as sums
     where stock_items.tenant_id = sums.tenant_id and stock_items.id = sums.stock_item_id
       and (sums.low_at is null or sums.available > sums.low_at);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table stock_levels drop column low_at;
    alter table stock_items drop column low;
  `);
