export const up = (knex) =>
  knex.raw(`
    -- Products refer to a category by its code, so that they need no category to exist.
    create table tax_categories (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      code text not null,
      name text not null,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint tax_categories_code unique (tenant_id, code)
    );
    create index tax_categories_newest on tax_categories (tenant_id, created_at, id);
    create index tax_categories_changed on tax_categories (tenant_id, updated_at, id);
    create unique index tax_categories_external_id on tax_categories (tenant_id, external_id)
      where external_id is not null;

    -- rate: per cent. province: in upper case; null for the entire country. category_id: null for all other categories.
    create table tax_rates (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      code text not null,
      name text not null,
      rate numeric(8, 5) not null check (rate >= 0 and rate <= 100),
      country text not null,
      province text,
      category_id uuid,
      compound boolean not null,
      override boolean not null,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      -- Also finds the rates of a place.
      constraint tax_rates_place unique nulls not distinct (tenant_id, country, province, category_id, code),
      constraint tax_rates_override check (not override or province is not null),
      foreign key (tenant_id, category_id) references tax_categories (tenant_id, id)
    );
    create index tax_rates_newest on tax_rates (tenant_id, created_at, id);
    create index tax_rates_changed on tax_rates (tenant_id, updated_at, id);
    create unique index tax_rates_external_id on tax_rates (tenant_id, external_id) where external_id is not null;
    create index tax_rates_country on tax_rates (tenant_id, country, created_at, id);
    create index tax_rates_province on tax_rates (tenant_id, province, created_at, id);
    create index tax_rates_province_of_country on tax_rates (tenant_id, country, province, created_at, id);
    create index tax_rates_category on tax_rates (tenant_id, category_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table tax_rates, tax_categories');
