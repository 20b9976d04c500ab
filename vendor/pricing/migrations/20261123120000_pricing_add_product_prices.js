const nil = '00000000-0000-0000-0000-000000000000';

export const up = (knex) =>
  knex.raw(`
    -- The lowest price of the variants of each product. region_id: of the nil UUID for a currency; of a region only while
    -- it has prices of its own, and then also for the products that have none there. Without a reference to products: the
    -- check would wait for whoever changes the product, who may wait for the writer of prices.
    create table product_prices (
      tenant_id uuid not null,
      product_id uuid not null,
      currency text not null,
      region_id uuid not null,
      amount bigint not null,
      primary key (tenant_id, product_id, currency, region_id)
    );
    create index product_prices_amount on product_prices (tenant_id, currency, region_id, amount, product_id);

    -- One row, which every writer of prices changes first.
    create table price_writes (
      tenant_id uuid primary key,
      number bigint not null
    );

    insert into product_prices (tenant_id, product_id, currency, region_id, amount)
    select prices.tenant_id, variants.product_id, prices.currency, prices.region_id, min(prices.amount)
      from (select tenant_id, variant_id, currency, coalesce(region_id, '${nil}') as region_id, amount
              from variant_prices
            union all
            select general.tenant_id, general.variant_id, general.currency, priced.region_id, general.amount
              from variant_prices general
              join (select distinct tenant_id, currency, region_id from variant_prices where region_id is not null) priced
                on priced.tenant_id = general.tenant_id and priced.currency = general.currency
             where general.region_id is null and not exists (
               select from variant_prices special
                where special.tenant_id = general.tenant_id and special.variant_id = general.variant_id
                  and special.currency = general.currency and special.region_id = priced.region_id)) prices
      join product_variants variants
        on variants.tenant_id = prices.tenant_id and variants.id = prices.variant_id and variants.deleted_at is null
     group by prices.tenant_id, variants.product_id, prices.currency, prices.region_id;
  `);

export const down = (knex) => knex.raw('drop table price_writes, product_prices');
