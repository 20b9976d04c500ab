export const up = (knex) =>
  knex.raw(`
    -- A link to a new e-mail address of a member of staff; email: that address.
    alter table staff_tokens drop constraint staff_tokens_purpose_check;
    alter table staff_tokens add constraint staff_tokens_purpose_check
      check (purpose in ('password_reset', 'second_factor', 'email_change'));
  `);

export const down = (knex) =>
  knex.raw(`
    delete from staff_tokens where purpose = 'email_change';
    alter table staff_tokens drop constraint staff_tokens_purpose_check;
    alter table staff_tokens add constraint staff_tokens_purpose_check
      check (purpose in ('password_reset', 'second_factor'));
  `);
