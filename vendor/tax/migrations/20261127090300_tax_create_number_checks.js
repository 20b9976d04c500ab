// Answers of services about tax numbers. digest: a hash of the exact question. answer: null if there was none.
export const up = (knex) =>
  knex.raw(`
    create table tax_number_checks (
      tenant_id uuid not null references tenants (id),
      digest text not null,
      answer jsonb,
      checked_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      primary key (tenant_id, digest)
    );
    create index tax_number_checks_expiry on tax_number_checks (tenant_id, expires_at);
  `);

export const down = (knex) => knex.raw('drop table tax_number_checks');
