// carrier_service: the carrier and its service, as the carrier service names them.
// shipping_quotes: prices of a carrier service. sale_key and digest are hashes: of what is known of a sale before it is
// priced, and of the exact question. answer: null if the service refused the question.
export const up = (knex) =>
  knex.raw(`
    alter table shipping_options add column carrier_service text;
    create table shipping_quotes (
      tenant_id uuid not null references tenants (id),
      sale_key text not null,
      digest text not null,
      answer jsonb,
      expires_at timestamptz(3) not null,
      primary key (tenant_id, sale_key, digest)
    );
    create index shipping_quotes_expiry on shipping_quotes (tenant_id, expires_at);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table shipping_quotes;
    alter table shipping_options drop column carrier_service;
  `);
