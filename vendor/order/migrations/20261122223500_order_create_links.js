export const up = (knex) =>
  knex.raw(`
    -- Requests for links to orders, whether or not there is such an order, and the links that were sent: only these have
    -- an order and the hash of their token.
    create table order_links (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      number text not null,
      email_key text not null,
      order_id uuid,
      token_hash text,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint order_links_token unique (tenant_id, token_hash),
      constraint order_links_sent check ((order_id is null) = (token_hash is null))
    );
    create index order_links_expiry on order_links (tenant_id, expires_at);
    create index order_links_email on order_links (tenant_id, email_key);
  `);

export const down = (knex) => knex.raw('drop table order_links');
