export const up = (knex) =>
  knex.raw(`
    create table regions (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      currency text not null,
      tax_inclusive boolean not null default false,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create index regions_newest on regions (tenant_id, created_at, id);

    -- A country is sold to by one region, so an address names its region.
    create table region_countries (
      tenant_id uuid not null,
      country text not null,
      region_id uuid not null,
      primary key (tenant_id, country),
      foreign key (tenant_id, region_id) references regions (tenant_id, id)
    );
    create index region_countries_region on region_countries (tenant_id, region_id);
  `);

export const down = (knex) => knex.raw('drop table region_countries, regions');
