export const up = (knex) =>
  knex.raw(`
    alter table staff_users add column locale text;

    -- One row a request for a link. The secret is made when the link is sent, and only its hash is kept.
    create table staff_tokens (
      tenant_id uuid not null,
      id uuid not null,
      staff_user_id uuid not null,
      purpose text not null check (purpose in ('password_reset')),
      token_hash text,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint staff_tokens_token unique (tenant_id, token_hash),
      foreign key (tenant_id, staff_user_id) references staff_users (tenant_id, id) on delete cascade
    );
    create index staff_tokens_user on staff_tokens (tenant_id, staff_user_id);
    create index staff_tokens_expiry on staff_tokens (tenant_id, expires_at);
  `);

export const down = (knex) => knex.raw('drop table staff_tokens; alter table staff_users drop column locale');
