export const up = (knex) =>
  knex.raw(`
    alter table audit_entries drop constraint audit_entries_actor_type_check,
      add constraint audit_entries_actor_type_check check (actor_type in ('staff', 'api_key', 'operator'));
  `);

// What API keys did stays in the log: only what is written from now on is checked.
export const down = (knex) =>
  knex.raw(`
    alter table audit_entries drop constraint audit_entries_actor_type_check,
      add constraint audit_entries_actor_type_check check (actor_type in ('staff', 'operator')) not valid;
  `);
