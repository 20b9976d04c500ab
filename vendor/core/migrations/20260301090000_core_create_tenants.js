export const up = (knex) =>
  knex.raw(`
    create table tenants (
      id uuid primary key,
      slug text not null unique,
      name text not null,
      status text not null default 'active' check (status in ('active', 'suspended')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );

    create table stores (
      tenant_id uuid primary key references tenants (id),
      name text not null,
      logo_url text,
      default_currency text not null,
      default_locale text not null,
      order_number_format text not null,
      guest_checkout boolean not null default true,
      weight_unit text not null default 'kg' check (weight_unit in ('kg', 'lb')),
      updated_at timestamptz(3) not null default now()
    );

    create table number_sequences (
      tenant_id uuid not null references tenants (id),
      name text not null,
      last_value bigint not null,
      primary key (tenant_id, name)
    );
  `);

export const down = (knex) => knex.raw('drop table number_sequences, stores, tenants');
