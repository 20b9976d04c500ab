export const up = (knex) =>
  knex.raw(`
    -- compare_at: the regular price. cost: what the unit costs the store. lowest_prior: while compare_at is above amount,
    -- the lowest price of the 30 days before this amount.
    alter table variant_prices add column compare_at bigint;
    alter table variant_prices add column cost bigint;
    alter table variant_prices add column lowest_prior bigint;
    alter table variant_prices add constraint variant_prices_compare_at check (compare_at >= 0);
    alter table variant_prices add constraint variant_prices_cost check (cost >= 0);
    alter table variant_prices add constraint variant_prices_lowest_prior check (lowest_prior >= 0);

    -- Each price from created_at on, until the next change of the same variant, currency and region; without an amount,
    -- the price was removed. region_id: no foreign key, so that the history outlives a region.
    create table variant_price_changes (
      tenant_id uuid not null,
      id uuid not null,
      variant_id uuid not null,
      currency text not null,
      region_id uuid,
      amount bigint,
      compare_at bigint,
      actor_type text,
      actor_id uuid,
      actor_label text,
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint variant_price_changes_once
        unique nulls not distinct (tenant_id, variant_id, currency, region_id, created_at),
      foreign key (tenant_id, variant_id) references product_variants (tenant_id, id)
    );
    create index variant_price_changes_newest on variant_price_changes (tenant_id, variant_id, created_at, id);
    insert into variant_price_changes (tenant_id, id, variant_id, currency, region_id, amount, created_at)
    select tenant_id, id, variant_id, currency, region_id, amount, updated_at from variant_prices;
  `);

export const down = (knex) =>
  knex.raw(`
    drop table variant_price_changes;
    alter table variant_prices drop column lowest_prior;
    alter table variant_prices drop column cost;
    alter table variant_prices drop column compare_at;
  `);
