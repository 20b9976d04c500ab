export const up = (knex) =>
  knex.raw(`
    -- The token in the mail; token_hash is that of the token in the response to whoever created the invite.
    alter table staff_invites add column mailed_token_hash text;
    create unique index staff_invites_mailed_token on staff_invites (tenant_id, mailed_token_hash);
  `);

export const down = (knex) => knex.raw('alter table staff_invites drop column mailed_token_hash');
