// goods: replaced whenever the goods changes, whose rows boxes keep in memory; see runtime/db/goods.ts.
export const up = (knex) =>
  knex.raw(`
    alter table reference_versions add column goods uuid;
    update reference_versions set goods = version;
  `);

export const down = (knex) => knex.raw('alter table reference_versions drop column goods');
