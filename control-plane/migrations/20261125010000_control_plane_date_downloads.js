export const up = (knex) =>
  knex.raw(`
    -- When the package was downloaded. The report may arrive days later; created_at is when it was stored.
    alter table download_reports add column downloaded_at timestamptz(3);
    update download_reports set downloaded_at = created_at;
    alter table download_reports alter column downloaded_at set default now();
    alter table download_reports alter column downloaded_at set not null;

    drop index download_reports_newest;
    drop index download_reports_customer;
    drop index download_reports_package;
    create index download_reports_downloaded on download_reports (downloaded_at, id);
    create index download_reports_customer on download_reports (customer_id, downloaded_at, id);
    create index download_reports_refused on download_reports (customer_id, outcome, downloaded_at, id);
    create index download_reports_package on download_reports (package_name, downloaded_at, id);
    create index download_reports_version on download_reports (version, downloaded_at, id);
    create index download_reports_tier on download_reports (tier, downloaded_at, id);
    create index download_reports_outcome on download_reports (outcome, downloaded_at, id);
    create index download_reports_age on download_reports (created_at);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table download_reports drop column downloaded_at;
    drop index download_reports_age;
    create index download_reports_newest on download_reports (created_at, id);
    create index download_reports_customer on download_reports (customer_id, created_at, id);
    create index download_reports_package on download_reports (package_name, created_at, id);
  `);
