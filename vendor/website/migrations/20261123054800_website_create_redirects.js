// path: in one form for each address. No target_path is the path of a redirect.
export const up = (knex) =>
  knex.raw(`
    create table redirects (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      path text not null check (path like '/%' and path not like '//%'),
      target text not null,
      target_path text not null check (target_path like '/%' and target_path not like '//%'),
      target_host text,
      permanent boolean not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint redirects_path unique (tenant_id, path),
      constraint redirects_target check (path <> target_path)
    );
    create index redirects_newest on redirects (tenant_id, created_at, id);
    create index redirects_target_path on redirects (tenant_id, target_path);
  `);

export const down = (knex) => knex.raw('drop table redirects');
