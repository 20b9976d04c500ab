// A store lists its currencies, those of its regions among them.
export const up = (knex) =>
  knex.raw(`
    update stores set currencies = array(select distinct unnest(stores.currencies || used.currencies) order by 1)
      from (select tenant_id, array_agg(currency) as currencies from regions group by tenant_id) used
     where used.tenant_id = stores.tenant_id;
  `);

export const down = () => Promise.resolve();
