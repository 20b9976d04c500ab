export const up = (knex) =>
  knex.raw(`
    -- texts: a list of { locale, subject, text, html }.
    create table notification_templates (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      key text not null,
      enabled boolean not null,
      texts jsonb not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint notification_templates_key unique (tenant_id, key)
    );

    -- Neither the text of a mail nor its data are stored, since they may contain secrets. event: what the mail is composed
    -- from; null once it is erased. dedupe_key: the event, with the recipient if there are several, or the id of a record
    -- that was sent again.
    create table notifications (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      template text not null,
      dedupe_key text not null,
      status text not null check (status in ('queued', 'sent', 'failed', 'not_sent')),
      resource_type text not null,
      resource_id uuid not null,
      event jsonb,
      recipient text,
      recipient_key text generated always as (lower(recipient)) stored,
      locale text,
      subject text,
      message_id text,
      attempts integer not null default 0 check (attempts >= 0),
      lease_until timestamptz,
      error text,
      sent_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint notifications_once unique (tenant_id, template, dedupe_key)
    );
    create index notifications_newest on notifications (tenant_id, created_at, id);
    create index notifications_status on notifications (tenant_id, status, created_at, id);
    create index notifications_template on notifications (tenant_id, template, created_at, id);
    create index notifications_recipient on notifications (tenant_id, recipient_key, created_at, id);
    create index notifications_resource on notifications (tenant_id, resource_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table notifications, notification_templates');
