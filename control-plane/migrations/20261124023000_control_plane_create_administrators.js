export const up = (knex) =>
  knex.raw(`
    create table administrators (
      id uuid primary key,
      name text not null constraint administrators_name unique,
      role text not null check (role in ('owner', 'manager', 'reader')),
      disabled boolean not null default false,
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      created_at timestamptz(3) not null default now()
    );
    create index administrators_newest on administrators (created_at, id);

    create table administrator_secrets (
      -- The SHA-256 of the secret in hexadecimal: the secret has 160 random bits.
      secret_hash text primary key,
      administrator_id uuid not null references administrators (id) on delete cascade,
      -- Until when a secret that was replaced is accepted; null for the current one.
      valid_until timestamptz(3)
    );
    create unique index administrator_secrets_current on administrator_secrets (administrator_id) where valid_until is null;
    create index administrator_secrets_administrator on administrator_secrets (administrator_id);

    create table journal (
      position bigint primary key check (position > 0),
      id uuid not null unique,
      created_at timestamptz(3) not null,
      -- No reference: the row stays when the administrator is deleted. Null for a secret of the settings.
      administrator_id uuid,
      administrator text not null,
      role text not null,
      operation_id text not null,
      method text not null,
      path text not null,
      request_id text not null,
      status integer not null,
      address text not null,
      -- JSON as text: jsonb would change the order of the names, and so the hash.
      change text not null,
      hash text not null
    );
    create index journal_newest on journal (created_at, id);
    create index journal_administrator on journal (administrator, created_at, id);
    create index journal_operation on journal (operation_id, created_at, id);

    create function refuse_journal_change() returns trigger language plpgsql as $$
    begin
      raise exception 'rows of the journal are neither changed nor deleted' using errcode = 'restrict_violation';
    end $$;
    create trigger journal_append_only before update or delete or truncate on journal
      for each statement execute function refuse_journal_change();
  `);

export const down = (knex) =>
  knex.raw(`
    drop table journal, administrator_secrets, administrators;
    drop function refuse_journal_change();
  `);
