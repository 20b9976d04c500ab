// Files that clients upload to an address of their own. The id is that of the file in media_files.
export const up = (knex) =>
  knex.raw(`
    create table media_uploads (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      token_hash text not null,
      file_name text not null,
      size integer not null check (size > 0),
      alt_text text not null,
      external_id text,
      asset_id uuid,
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint media_uploads_token unique (tenant_id, token_hash)
    );
    create index media_uploads_expiry on media_uploads (tenant_id, expires_at);
  `);

export const down = (knex) => knex.raw('drop table media_uploads');
