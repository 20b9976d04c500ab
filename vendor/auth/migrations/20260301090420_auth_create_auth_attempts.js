export const up = (knex) =>
  knex.raw(`
    -- Who tries is kept as a hash: of equal length for everything, and no list of addresses and what was typed as one.
    create table auth_attempts (
      tenant_id uuid not null references tenants (id),
      kind text not null,
      subject_hash text not null,
      attempts integer not null check (attempts >= 0),
      last_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      primary key (tenant_id, kind, subject_hash)
    );
    create index auth_attempts_expiry on auth_attempts (tenant_id, expires_at);
  `);

export const down = (knex) => knex.raw('drop table auth_attempts');
