export const up = (knex) =>
  knex.raw(`
    -- Of mails that a guest has caused. admitted_at: when the limits let the mail pass. client_key: a keyed hash of the
    -- guest's client. delayed_until: a queued mail waits until then.
    alter table notifications add column admitted_at timestamptz(3);
    alter table notifications add column client_key text;
    alter table notifications add column delayed_until timestamptz(3);
    create index notifications_admitted on notifications (tenant_id, recipient_key, admitted_at)
      where admitted_at is not null;
    create index notifications_admitted_client on notifications (tenant_id, client_key, admitted_at)
      where admitted_at is not null;
    create index notifications_delayed on notifications (tenant_id, delayed_until) where delayed_until is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table notifications drop column delayed_until;
    alter table notifications drop column client_key;
    alter table notifications drop column admitted_at;
  `);
