export const up = (knex) =>
  knex.raw(`
    -- When the report was counted in the two tables below; null until then. Those of before are counted by the job too.
    alter table download_reports add column rolled_up_at timestamptz(3);
    create index download_reports_due on download_reports (created_at) where rolled_up_at is null;

    -- Downloads by day (UTC). They stay when the reports are removed.
    create table download_rollups (
      id uuid primary key,
      day date not null,
      customer_id text not null,
      tier text not null check (tier in ('basic', 'growth', 'enterprise')),
      package_name text not null,
      version text,
      outcome text not null check (outcome in ('allowed', 'denied')),
      count bigint not null check (count > 0),
      constraint download_rollups_once
        unique nulls not distinct (day, customer_id, tier, package_name, version, outcome)
    );
    create index download_rollups_day on download_rollups (day, id);
    create index download_rollups_customer on download_rollups (customer_id, day, id);
    create index download_rollups_package on download_rollups (package_name, day, id);
    create index download_rollups_version on download_rollups (version, day, id);
    create index download_rollups_outcome on download_rollups (outcome, day, id);
    create index download_rollups_tier on download_rollups (tier, day, id);

    -- The same downloads of all days, with the times of the first and the last.
    create table download_totals (
      customer_id text not null,
      package_name text not null,
      version text,
      outcome text not null check (outcome in ('allowed', 'denied')),
      count bigint not null check (count > 0),
      first_at timestamptz(3) not null,
      last_at timestamptz(3) not null,
      constraint download_totals_once unique nulls not distinct (customer_id, package_name, outcome, version)
    );
    create index download_totals_package on download_totals (package_name, customer_id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table download_totals, download_rollups;
    alter table download_reports drop column rolled_up_at;
  `);
