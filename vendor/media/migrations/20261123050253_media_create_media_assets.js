// media_files: every file in the storage, recorded before it is written. A file without an asset is deleted when it
// expires: one whose upload failed, or whose asset was deleted.
export const up = (knex) =>
  knex.raw(`
    create table media_assets (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      kind text not null check (kind in ('picture', 'video', 'document')),
      media_type text not null,
      file_name text not null,
      size integer not null check (size > 0),
      sha256 text not null,
      width integer check (width > 0),
      height integer check (height > 0),
      frames integer not null default 1 check (frames > 0),
      opaque boolean not null default true,
      alt_text text not null default '',
      focal_point jsonb,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint media_assets_dimensions check ((kind = 'picture') = (width is not null and height is not null))
    );
    create index media_assets_newest on media_assets (tenant_id, created_at, id);
    create index media_assets_kind_newest on media_assets (tenant_id, kind, created_at, id);
    create index media_assets_changed on media_assets (tenant_id, updated_at, id);
    create unique index media_assets_external_id on media_assets (tenant_id, external_id) where external_id is not null;

    create table media_files (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      asset_id uuid,
      variant text not null,
      media_type text not null,
      size integer not null check (size > 0),
      expires_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint media_files_variant unique (tenant_id, asset_id, variant),
      constraint media_files_owner check ((asset_id is null) = (expires_at is not null)),
      foreign key (tenant_id, asset_id) references media_assets (tenant_id, id)
    );
    create index media_files_expiry on media_files (tenant_id, expires_at) where expires_at is not null;
    create index media_files_stored on media_files (tenant_id, variant) include (size);
  `);

export const down = (knex) => knex.raw('drop table media_files, media_assets');
