export const up = (knex) =>
  knex.raw(`
    -- Who has sent an invite, which is worth what its inviter may grant. Unknown for invites of before.
    alter table staff_invites add column inviter_type text;
    alter table staff_invites add column inviter_id uuid;
  `);

export const down = (knex) => knex.raw('alter table staff_invites drop column inviter_type, drop column inviter_id');
