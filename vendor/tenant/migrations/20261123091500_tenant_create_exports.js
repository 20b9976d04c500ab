// The export of a tenant: one at a time. attempts: times it was begun; the file of each attempt has a name of its own.
export const up = (knex) =>
  knex.raw(`
    create table tenant_exports (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      state text not null default 'pending' check (state in ('pending', 'running', 'ready', 'failed')),
      attempts integer not null default 0,
      tables integer not null default 0,
      rows bigint not null default 0,
      files integer not null default 0,
      size bigint,
      sha256 text,
      error text,
      expires_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint tenant_exports_pkey primary key (tenant_id)
    );
  `);

export const down = (knex) => knex.raw('drop table tenant_exports');
