export const up = (knex) => knex.raw("alter table stores add column time_zone text not null default 'UTC'");

export const down = (knex) => knex.raw('alter table stores drop column time_zone');
