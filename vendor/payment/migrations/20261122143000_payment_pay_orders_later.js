// A payment of an order that is paid later, by its link, has no cart.
export const up = (knex) =>
  knex.raw(`
    alter table payment_sessions alter column cart_id drop not null;
    alter table payment_sessions
      add constraint payment_sessions_of check (cart_id is not null or order_id is not null);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table payment_sessions drop constraint payment_sessions_of;
    update payment_sessions set cart_id = id where cart_id is null;
    alter table payment_sessions alter column cart_id set not null;
  `);
