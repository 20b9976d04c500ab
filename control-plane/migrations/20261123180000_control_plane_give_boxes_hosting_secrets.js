export const up = (knex) =>
  knex.raw(`
    -- What the website hosting layer sends to the box, so that the box believes it; encrypted with SIGNING_KEY_SECRET.
    alter table boxes add column hosting_secret text;
  `);

export const down = (knex) => knex.raw('alter table boxes drop column hosting_secret');
