export const up = (knex) =>
  knex.raw(`
    create table download_reports (
      id uuid primary key,
      idempotency_key text unique,
      customer_id text not null,
      tier text not null check (tier in ('basic', 'growth', 'enterprise')),
      package_name text not null,
      version text,
      outcome text not null check (outcome in ('allowed', 'denied')),
      created_at timestamptz(3) not null default now()
    );

    create index download_reports_newest on download_reports (created_at, id);
    create index download_reports_customer on download_reports (customer_id, created_at, id);
    create index download_reports_package on download_reports (package_name, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table download_reports');
