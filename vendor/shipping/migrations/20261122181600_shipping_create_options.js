export const up = (knex) =>
  knex.raw(`
    -- Products refer to a profile by its code, so that they need no profile to exist.
    create table shipping_profiles (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      code text not null,
      name text not null,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint shipping_profiles_code unique (tenant_id, code)
    );
    create index shipping_profiles_newest on shipping_profiles (tenant_id, created_at, id);
    create index shipping_profiles_changed on shipping_profiles (tenant_id, updated_at, id);
    create unique index shipping_profiles_external_id on shipping_profiles (tenant_id, external_id)
      where external_id is not null;

    create table shipping_zones (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create index shipping_zones_newest on shipping_zones (tenant_id, created_at, id);
    create index shipping_zones_changed on shipping_zones (tenant_id, updated_at, id);
    create unique index shipping_zones_external_id on shipping_zones (tenant_id, external_id)
      where external_id is not null;

    -- province: in upper case. postal_code: EC1*, 10000-19999 or 10115. Both null: the entire country.
    create table shipping_zone_places (
      tenant_id uuid not null references tenants (id),
      zone_id uuid not null,
      country text not null,
      province text,
      postal_code text,
      -- All postal codes that match are between these.
      postal_from text collate "C",
      postal_to text collate "C",
      -- Also finds the places of a country.
      constraint shipping_zone_places_place unique nulls not distinct (tenant_id, country, province, postal_code),
      constraint shipping_zone_places_kind check (province is null or postal_code is null),
      foreign key (tenant_id, zone_id) references shipping_zones (tenant_id, id) on delete cascade
    );
    create index shipping_zone_places_zone on shipping_zone_places (tenant_id, zone_id);

    -- zone_id: null for everywhere. profile: null for the default profile. free_from: minor units by currency.
    create table shipping_options (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      code text not null,
      name text not null,
      zone_id uuid,
      profile text,
      type text not null,
      free_from jsonb not null default '[]',
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint shipping_options_code unique (tenant_id, code),
      constraint shipping_options_zone foreign key (tenant_id, zone_id) references shipping_zones (tenant_id, id),
      constraint shipping_options_profile foreign key (tenant_id, profile)
        references shipping_profiles (tenant_id, code)
    );
    create index shipping_options_newest on shipping_options (tenant_id, created_at, id);
    create index shipping_options_changed on shipping_options (tenant_id, updated_at, id);
    create unique index shipping_options_external_id on shipping_options (tenant_id, external_id)
      where external_id is not null;
    create index shipping_options_of_zone on shipping_options (tenant_id, zone_id, created_at, id);
    create index shipping_options_of_profile on shipping_options (tenant_id, profile, created_at, id);

    -- from_value, to_value: grams or minor units; to_value is excluded, null for no upper bound.
    create table shipping_rates (
      tenant_id uuid not null references tenants (id),
      option_id uuid not null,
      currency text not null,
      from_value bigint not null check (from_value >= 0),
      to_value bigint,
      amount bigint not null check (amount >= 0),
      primary key (tenant_id, option_id, currency, from_value),
      constraint shipping_rates_bounds check (to_value > from_value),
      foreign key (tenant_id, option_id) references shipping_options (tenant_id, id) on delete cascade
    );

    -- profile: empty for the default profile. No reference to the option: a deleted one remains chosen, and is refused.
    create table cart_shipping_methods (
      tenant_id uuid not null references tenants (id),
      cart_id uuid not null,
      profile text not null,
      option_id uuid not null,
      pickup_location_id text,
      primary key (tenant_id, cart_id, profile),
      foreign key (tenant_id, cart_id) references carts (tenant_id, id) on delete cascade
    );

    -- What the order was to be shipped by, as it was chosen.
    create table order_shipping_methods (
      tenant_id uuid not null references tenants (id),
      order_id uuid not null,
      profile text not null,
      option_id uuid not null,
      code text not null,
      name text not null,
      type text not null,
      amount bigint not null check (amount >= 0),
      pickup_location jsonb,
      primary key (tenant_id, order_id, profile),
      foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
  `);

export const down = (knex) =>
  knex.raw(`
    drop table order_shipping_methods, cart_shipping_methods, shipping_rates, shipping_options, shipping_zone_places,
      shipping_zones, shipping_profiles
  `);
