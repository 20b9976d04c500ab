// used: the kept count, null until it is first counted. is_limited: whether the operator has set a limit, which is then
// that of the column limit_value, or none if it is null.
export const up = (knex) =>
  knex.raw(`
    create table tenant_quotas (
      tenant_id uuid not null references tenants (id),
      name text not null,
      used bigint,
      is_limited boolean not null default false,
      limit_value bigint,
      constraint tenant_quotas_pkey primary key (tenant_id, name),
      constraint tenant_quotas_limit check (limit_value is null or (is_limited and limit_value >= 0))
    );
  `);

export const down = (knex) => knex.raw('drop table tenant_quotas');
