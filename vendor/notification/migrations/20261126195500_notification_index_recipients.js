// Mails to one recipient, by status.
export const up = (knex) =>
  knex.raw(`
    create index notifications_recipient_status on notifications (tenant_id, recipient_key, status, created_at, id);
  `);

export const down = (knex) => knex.raw('drop index notifications_recipient_status');
