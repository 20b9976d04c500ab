// published_at: since when shoppers see the page, and the mark that the event was written.
export const up = (knex) =>
  knex.raw(`
    create table pages (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      handle text not null,
      title text not null,
      content text not null,
      status text not null check (status in ('draft', 'published')),
      publish_at timestamptz(3),
      published_at timestamptz(3),
      seo_title text,
      seo_description text,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint pages_handle unique (tenant_id, handle)
    );
    create index pages_newest on pages (tenant_id, created_at, id);
    create index pages_status_newest on pages (tenant_id, status, created_at, id);
    create index pages_changed on pages (tenant_id, updated_at, id);
    create index pages_due on pages (tenant_id, publish_at) where status = 'published' and published_at is null;
    create unique index pages_external_id on pages (tenant_id, external_id) where external_id is not null;
  `);

export const down = (knex) => knex.raw('drop table pages');
