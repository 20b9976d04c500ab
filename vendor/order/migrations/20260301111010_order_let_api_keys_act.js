export const up = (knex) =>
  knex.raw(`
    alter table order_events drop constraint order_events_actor_type_check,
      add constraint order_events_actor_type_check check (actor_type in ('shopper', 'staff', 'api_key', 'operator', 'system'));
  `);

// What API keys did stays in the log: only what is written from now on is checked.
export const down = (knex) =>
  knex.raw(`
    alter table order_events drop constraint order_events_actor_type_check,
      add constraint order_events_actor_type_check check (actor_type in ('shopper', 'staff', 'operator', 'system')) not valid;
  `);
