// A refund has its state in its step, which is made in the same transaction and so has the same time.
export const up = (knex) =>
  knex.raw(`
    create index payments_status on payments (tenant_id, status, created_at, id);
    create index payments_provider on payments (tenant_id, provider, created_at, id);
    create index payments_provider_status on payments (tenant_id, provider, status, created_at, id);
    create index payment_transactions_refunds on payment_transactions (tenant_id, status, created_at, id)
      where type = 'refund';
  `);

export const down = (knex) =>
  knex.raw('drop index payments_status, payments_provider, payments_provider_status, payment_transactions_refunds');
