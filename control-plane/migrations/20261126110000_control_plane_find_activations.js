/**
 * Activations are found by installation: there is one row for each.
 */
export const up = (knex) =>
  knex.raw('create index license_activations_installation on license_activations (license_id, installation_id)');

export const down = (knex) => knex.raw('drop index license_activations_installation');
