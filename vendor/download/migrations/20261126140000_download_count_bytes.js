// open_bytes: what the downloads that have begun may still send within a day. An earlier release leaves it as it is: a
// later part of a download that began there counts as another download.
export const up = (knex) =>
  knex.raw('alter table download_grants add column open_bytes bigint not null default 0 check (open_bytes >= 0)');

export const down = (knex) => knex.raw('alter table download_grants drop column open_bytes');
