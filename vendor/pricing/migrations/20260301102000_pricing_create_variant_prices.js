export const up = (knex) =>
  knex.raw(`
    -- A price of a currency (region_id is null), or of one region in the region's currency.
    create table variant_prices (
      tenant_id uuid not null,
      id uuid not null,
      variant_id uuid not null,
      currency text not null,
      region_id uuid,
      amount bigint not null check (amount >= 0),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint variant_prices_place unique nulls not distinct (tenant_id, variant_id, currency, region_id),
      foreign key (tenant_id, variant_id) references product_variants (tenant_id, id),
      foreign key (tenant_id, region_id) references regions (tenant_id, id)
    );
    create index variant_prices_region on variant_prices (tenant_id, region_id) where region_id is not null;
  `);

export const down = (knex) => knex.raw('drop table variant_prices');
