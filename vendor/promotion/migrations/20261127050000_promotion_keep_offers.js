export const up = (knex) =>
  knex.raw(`
    -- What is taken off, in a form that earlier releases do not know: for them, discount is then a fixed amount of
    -- nothing. As soon as they store another discount, that one counts.
    alter table promotions add column offer jsonb;
  `);

export const down = (knex) => knex.raw('alter table promotions drop column offer');
