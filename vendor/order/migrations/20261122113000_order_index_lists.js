// Row-level security takes an index only where the comparison is known to tell nobody of the rows it refuses: one of
// plain columns, not of lower(email). orders_state serves every choice of states, each combination in its own order.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column email_key text generated always as (lower(email)) stored;
    alter table orders add column archived boolean generated always as (archived_at is not null) stored;
    drop index orders_email;
    drop index orders_status;
    drop index orders_payment_status;
    drop index orders_fulfillment_status;
    create index orders_email on orders (tenant_id, email_key, created_at, id);
    create index orders_state
      on orders (tenant_id, status, payment_status, fulfillment_status, archived, created_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_state;
    drop index orders_email;
    create index orders_email on orders (tenant_id, lower(email), created_at, id);
    create index orders_status on orders (tenant_id, status, created_at, id);
    create index orders_payment_status on orders (tenant_id, payment_status, created_at, id);
    create index orders_fulfillment_status on orders (tenant_id, fulfillment_status, created_at, id);
    alter table orders drop column archived;
    alter table orders drop column email_key;
  `);
