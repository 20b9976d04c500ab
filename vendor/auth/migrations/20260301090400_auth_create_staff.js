export const up = (knex) =>
  knex.raw(`
    create table staff_users (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text not null,
      name text not null,
      role text not null check (role in ('owner', 'manager', 'viewer')),
      status text not null default 'active' check (status in ('active', 'disabled')),
      password_hash text not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint staff_users_email unique (tenant_id, email)
    );

    create table staff_sessions (
      tenant_id uuid not null,
      id uuid not null,
      staff_user_id uuid not null,
      token_hash text not null,
      address text not null,
      user_agent text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint staff_sessions_token unique (tenant_id, token_hash),
      foreign key (tenant_id, staff_user_id) references staff_users (tenant_id, id) on delete cascade
    );
    create index staff_sessions_user on staff_sessions (tenant_id, staff_user_id);

    create table staff_invites (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text not null,
      role text not null check (role in ('owner', 'manager', 'viewer')),
      token_hash text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint staff_invites_email unique (tenant_id, email),
      constraint staff_invites_token unique (tenant_id, token_hash)
    );
  `);

export const down = (knex) => knex.raw('drop table staff_invites, staff_sessions, staff_users');
