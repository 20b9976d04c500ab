export const up = (knex) =>
  knex.raw(`
    -- Of work that is done in steps: the id it is taken up again by, and until when whoever does it is believed alive.
    alter table idempotency_keys add column work_id uuid, add column busy_until timestamptz(3);
  `);

export const down = (knex) => knex.raw('alter table idempotency_keys drop column busy_until, drop column work_id');
