export const up = (knex) =>
  knex.raw(`
    -- Null until the next activation of an installation that is known from before.
    alter table license_installations add column channel text;
    alter table license_installations add column release text;
    create index license_installations_all on license_installations (created_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index license_installations_all;
    alter table license_installations drop column release;
    alter table license_installations drop column channel;
  `);
