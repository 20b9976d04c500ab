export const up = (knex) =>
  knex.raw(`
    create table boxes (
      id uuid primary key,
      customer_id text not null,
      name text not null,
      backend_url text not null,
      frontend_url text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint boxes_customer_name unique (customer_id, name)
    );

    -- The key is what makes a domain belong to one box, and with it to one customer.
    create table box_domains (
      domain text primary key,
      box_id uuid not null references boxes (id) on delete cascade,
      position integer not null
    );

    create index box_domains_box on box_domains (box_id, position);
  `);

export const down = (knex) => knex.raw('drop table box_domains, boxes');
