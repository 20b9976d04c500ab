export const up = (knex) =>
  knex.raw(`
    -- email: in lower case. password_hash: null until the member sets a password. The row of a deleted member stays for
    -- the orders that refer to it, and leaves its address to others.
    create table members (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text not null,
      email_verified_at timestamptz(3),
      name text,
      phone text,
      locale text,
      status text not null default 'active' check (status in ('active', 'disabled')),
      password_hash text,
      accepts_marketing boolean not null default false,
      marketing_changed_at timestamptz(3),
      marketing_source text,
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      erased_at timestamptz(3),
      primary key (tenant_id, id)
    );
    create unique index members_email on members (tenant_id, email) where deleted_at is null;
    create index members_newest on members (tenant_id, created_at, id) where deleted_at is null;
    create index members_changed on members (tenant_id, updated_at, id);
    create unique index members_external_id on members (tenant_id, external_id) where external_id is not null;

    create table member_sessions (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      token_hash text not null,
      address text not null,
      user_agent text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint member_sessions_token unique (tenant_id, token_hash),
      foreign key (tenant_id, member_id) references members (tenant_id, id) on delete cascade
    );
    create index member_sessions_member on member_sessions (tenant_id, member_id, created_at, id);
    create index member_sessions_expiry on member_sessions (tenant_id, expires_at);

    -- A row without a token is a request for a link; each time the link is sent, a copy with the hash of a new token is
    -- added. The requests of a registration hold its password and profile until the address is verified.
    create table member_tokens (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      member_id uuid,
      purpose text not null
        check (purpose in ('registration', 'verification', 'password_reset', 'email_change', 'email_changed')),
      email text not null,
      token_hash text,
      password_hash text,
      profile jsonb,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint member_tokens_token unique (tenant_id, token_hash),
      foreign key (tenant_id, member_id) references members (tenant_id, id) on delete cascade
    );
    create index member_tokens_email on member_tokens (tenant_id, email);
    create index member_tokens_member on member_tokens (tenant_id, member_id);
    create index member_tokens_expiry on member_tokens (tenant_id, expires_at);
  `);

export const down = (knex) => knex.raw('drop table member_tokens, member_sessions, members');
