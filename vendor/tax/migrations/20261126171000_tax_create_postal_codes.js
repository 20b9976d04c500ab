// Rates of postal codes. The column province of such a rate is `postal code BT*`, which is no province: a release that does
// not know them applies them nowhere. postal_from, postal_to: all postal codes that match are between these.
export const up = (knex) =>
  knex.raw(`
    create table tax_rate_postal_codes (
      tenant_id uuid not null references tenants (id),
      rate_id uuid not null,
      country text not null,
      postal_from text collate "C" not null,
      postal_to text collate "C" not null,
      primary key (tenant_id, rate_id),
      foreign key (tenant_id, rate_id) references tax_rates (tenant_id, id) on delete cascade
    );
    create index tax_rate_postal_codes_place on tax_rate_postal_codes (tenant_id, country, postal_from, postal_to);
  `);

export const down = (knex) => knex.raw('drop table tax_rate_postal_codes');
