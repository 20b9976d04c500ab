// default_version: the defaults of settings that the store was created with. A changed default holds for new stores; those
// of before keep what they had.
export const up = (knex) =>
  knex.raw(`
    alter table stores add column default_version integer not null default 1;
    alter table stores alter column default_version set default 2;
  `);

export const down = (knex) => knex.raw('alter table stores drop column default_version');
