export const up = (knex) =>
  knex.raw(`
    -- claimed: uses by orders, counted while max_uses is set. Promotions are soft deleted: uses refer to them.
    create table promotions (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      label text not null,
      status text not null check (status in ('active', 'inactive')),
      automatic boolean not null,
      priority integer not null,
      exclusive boolean not null,
      discount jsonb not null,
      rules jsonb not null,
      starts_at timestamptz(3),
      ends_at timestamptz(3),
      max_uses integer check (max_uses > 0),
      claimed integer not null default 0 check (claimed >= 0),
      max_uses_per_customer integer check (max_uses_per_customer > 0),
      external_id text,
      metadata jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      constraint promotions_times check (ends_at > starts_at)
    );
    create index promotions_newest on promotions (tenant_id, created_at, id);
    create index promotions_changed on promotions (tenant_id, updated_at, id);
    create index promotions_choices on promotions (tenant_id, status, automatic, created_at, id);
    create index promotions_automatic on promotions (tenant_id, priority, created_at, id)
      where automatic and status = 'active' and deleted_at is null;
    create unique index promotions_external_id on promotions (tenant_id, external_id)
      where external_id is not null and deleted_at is null;

    -- code_key: the code in upper case. uses: counted while max_uses is set.
    create table promotion_codes (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      promotion_id uuid not null,
      code text not null,
      code_key text not null,
      max_uses integer check (max_uses > 0),
      claimed integer not null default 0 check (claimed >= 0 and claimed <= max_uses),
      disabled_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint promotion_codes_code unique (tenant_id, code_key),
      foreign key (tenant_id, promotion_id) references promotions (tenant_id, id)
    );
    create index promotion_codes_newest on promotion_codes (tenant_id, promotion_id, created_at, id);

    -- One use by an order. customer_key: the member's id, else the e-mail address in lower case; null once erased.
    create table promotion_usages (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      promotion_id uuid not null,
      order_id uuid not null,
      code text,
      code_key text,
      amount bigint not null check (amount > 0),
      currency text not null,
      customer_key text,
      created_at timestamptz(3) not null default now(),
      returned_at timestamptz(3),
      primary key (tenant_id, id),
      constraint promotion_usages_order unique (tenant_id, order_id, promotion_id),
      foreign key (tenant_id, promotion_id) references promotions (tenant_id, id)
    );
    create index promotion_usages_newest on promotion_usages (tenant_id, promotion_id, created_at, id);
    create index promotion_usages_code on promotion_usages (tenant_id, promotion_id, code_key)
      where returned_at is null;
    create index promotion_usages_customer on promotion_usages (tenant_id, customer_key);

    -- uses of one customer, without returned ones. max_uses: the limit at the latest use.
    create table promotion_customers (
      tenant_id uuid not null references tenants (id),
      promotion_id uuid not null,
      customer_key text not null,
      uses integer not null check (uses >= 0),
      max_uses integer,
      primary key (tenant_id, promotion_id, customer_key),
      foreign key (tenant_id, promotion_id) references promotions (tenant_id, id)
    );
    create index promotion_customers_customer on promotion_customers (tenant_id, customer_key);

    -- Codes that shoppers have entered.
    create table promotion_cart_codes (
      tenant_id uuid not null references tenants (id),
      cart_id uuid not null,
      code_key text not null,
      code text not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, cart_id, code_key),
      foreign key (tenant_id, cart_id) references carts (tenant_id, id)
    );
  `);

export const down = (knex) =>
  knex.raw(`
    drop table promotion_cart_codes, promotion_customers, promotion_usages, promotion_codes, promotions;
  `);
