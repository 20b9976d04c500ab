export const up = (knex) => knex.raw(`alter table stores add column checkout_requires text[] not null default '{}'`);

export const down = (knex) => knex.raw('alter table stores drop column checkout_requires');
