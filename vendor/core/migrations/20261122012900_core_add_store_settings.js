export const up = (knex) =>
  knex.raw(`
    -- Settings that packages add, by group: what was set, without the defaults.
    alter table stores add column settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object');
  `);

export const down = (knex) => knex.raw('alter table stores drop column settings');
