export const up = (knex) =>
  knex.raw(`
    -- Of removed addresses that staff changed, to find them in the log of changes.
    alter table members add column former_address_ids uuid[] not null default '{}';

    create table member_addresses (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      name text not null,
      company text,
      line1 text not null,
      line2 text,
      city text not null,
      province text,
      postal_code text,
      country text not null,
      phone text,
      default_shipping boolean not null,
      default_billing boolean not null,
      changed_by_staff boolean not null default false,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id) on delete cascade
    );
    create index member_addresses_member on member_addresses (tenant_id, member_id, created_at, id);
    create unique index member_addresses_shipping on member_addresses (tenant_id, member_id) where default_shipping;
    create unique index member_addresses_billing on member_addresses (tenant_id, member_id) where default_billing;
  `);

export const down = (knex) =>
  knex.raw('drop table member_addresses; alter table members drop column former_address_ids');
