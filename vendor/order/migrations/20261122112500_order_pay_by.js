// pay_by: an order that nothing was paid of by then is canceled; null for one that may stay unpaid.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column pay_by timestamptz(3);
    create index orders_pay_by on orders (tenant_id, pay_by) where status = 'placed' and payment_status = 'unpaid';
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_pay_by;
    alter table orders drop column pay_by;
  `);
