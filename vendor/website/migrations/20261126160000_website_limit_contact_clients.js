// client_key: a hash of the sender's address, for an hour. mail_delayed: the store had too many messages within an hour, so
// its mail waits. announced_at: when it was sent after all.
export const up = (knex) =>
  knex.raw(`
    alter table contact_messages add column client_key text;
    alter table contact_messages add column mail_delayed boolean not null default false;
    alter table contact_messages add column announced_at timestamptz(3);
    create index contact_messages_client on contact_messages (tenant_id, client_key, created_at)
      where client_key is not null;
    create index contact_messages_delayed on contact_messages (tenant_id, created_at, id) where mail_delayed;
    create index contact_messages_announced on contact_messages (tenant_id, announced_at) where announced_at is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table contact_messages drop column announced_at;
    alter table contact_messages drop column mail_delayed;
    alter table contact_messages drop column client_key;
  `);
