export const up = (knex) => knex.raw(`alter table stores add column allowed_origins text[] not null default '{}'`);

export const down = (knex) => knex.raw('alter table stores drop column allowed_origins');
