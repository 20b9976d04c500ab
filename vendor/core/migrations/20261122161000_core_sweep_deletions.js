// What is old is removed by a job.
export const up = (knex) => knex.raw('create index deletions_deleted_at on deletions (tenant_id, deleted_at)');

export const down = (knex) => knex.raw('drop index deletions_deleted_at');
