export const up = (knex) =>
  knex.raw(`
    -- A request for a link is stored for every address. email: as requested, in lower case. staff_user_id: null until the
    -- link is sent to the member of staff with the address, if there is one.
    alter table staff_tokens alter column staff_user_id drop not null;
    alter table staff_tokens add column email text;
    create index staff_tokens_email on staff_tokens (tenant_id, email);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index staff_tokens_email;
    delete from staff_tokens where staff_user_id is null;
    alter table staff_tokens drop column email;
    alter table staff_tokens alter column staff_user_id set not null;
  `);
