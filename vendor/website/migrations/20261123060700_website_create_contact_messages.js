export const up = (knex) =>
  knex.raw(`
    create table contact_messages (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      email text not null,
      email_key text not null,
      subject text,
      message text not null,
      status text not null check (status in ('open', 'done', 'spam')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create index contact_messages_newest on contact_messages (tenant_id, created_at, id);
    create index contact_messages_status on contact_messages (tenant_id, status, created_at, id);
    create index contact_messages_email on contact_messages (tenant_id, email_key, created_at);
  `);

export const down = (knex) => knex.raw('drop table contact_messages');
