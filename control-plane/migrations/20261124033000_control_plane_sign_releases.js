export const up = (knex) =>
  knex.raw(`
    -- The signatures of the release to which the channel points: [{ keyid, sig }, …]; null for an unsigned one.
    alter table release_channels add column signatures jsonb;
  `);

export const down = (knex) => knex.raw('alter table release_channels drop column signatures');
