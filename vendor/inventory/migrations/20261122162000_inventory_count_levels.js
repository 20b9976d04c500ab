export const up = (knex) =>
  knex.raw(`
    -- At the default location: how many levels the item has, so that whoever has locked the levels that a statement saw
    -- as it began knows whether others were opened since. Without a meaning elsewhere.
    alter table stock_levels add column level_count integer not null default 1;
    update stock_levels set level_count = counts.level_count
      from (select tenant_id, stock_item_id, count(*) as level_count from stock_levels
             group by tenant_id, stock_item_id having count(*) > 1) as counts
     where stock_levels.tenant_id = counts.tenant_id and stock_levels.stock_item_id = counts.stock_item_id
       and stock_levels.location_id = '00000000-0000-0000-0000-000000000000';
  `);

export const down = (knex) => knex.raw('alter table stock_levels drop column level_count');
