export const up = (knex) =>
  knex.raw(`
    -- SHA-256 of the session in which a registration or a change of the address was requested: elsewhere, the reader of
    -- the mail may be somebody else.
    alter table member_tokens add column session_hash text;
  `);

export const down = (knex) => knex.raw('alter table member_tokens drop column session_hash');
