// downloads: the files of variants. deleted_at: not for future orders; the row and its file stay while buyers may need
// them. file_id: null once the file of a deleted one is released.
// download_grants: the right of the buyer of a line to a file. max_downloads: null for unlimited. ended_by: what ended it.
// token_hash: of the link in the latest mail.
export const up = (knex) =>
  knex.raw(`
    create table downloads (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      variant_id uuid not null,
      file_id uuid,
      file_name text not null,
      size integer not null,
      sha256 text not null,
      position integer not null,
      deleted_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint downloads_pkey primary key (tenant_id, id),
      constraint downloads_file_id unique (tenant_id, file_id),
      constraint downloads_stored check (file_id is not null or deleted_at is not null),
      constraint downloads_variant foreign key (tenant_id, variant_id) references product_variants (tenant_id, id),
      constraint downloads_file foreign key (tenant_id, file_id) references media_files (tenant_id, id)
    );
    create index downloads_of_variant on downloads (tenant_id, variant_id, position, id) where deleted_at is null;
    create index downloads_to_release on downloads (tenant_id, deleted_at, id)
      where deleted_at is not null and file_id is not null;

    create table download_grants (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      order_id uuid not null,
      line_item_id uuid not null,
      download_id uuid not null,
      max_downloads integer,
      download_count integer not null default 0,
      expires_at timestamptz(3),
      ended_at timestamptz(3),
      ended_by text,
      token_hash text,
      first_downloaded_at timestamptz(3),
      last_downloaded_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint download_grants_pkey primary key (tenant_id, id),
      constraint download_grants_of_line unique (tenant_id, line_item_id, download_id),
      constraint download_grants_token unique (tenant_id, token_hash),
      constraint download_grants_end check ((ended_at is null) = (ended_by is null)),
      constraint download_grants_ended_by check (ended_by in ('refund', 'cancellation', 'staff')),
      constraint download_grants_order foreign key (tenant_id, order_id) references orders (tenant_id, id),
      constraint download_grants_download foreign key (tenant_id, download_id) references downloads (tenant_id, id)
    );
    create index download_grants_of_order on download_grants (tenant_id, order_id, created_at, id);
    create index download_grants_of_download on download_grants (tenant_id, download_id);
  `);

export const down = (knex) => knex.raw('drop table download_grants, downloads');
