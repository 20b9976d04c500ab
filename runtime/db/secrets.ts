/**
 * Which stored data are secrets, for what leaves the box: columns by their names, and tables whose rows are of no use
 * elsewhere and may contain secrets. A column with a secret has `hash`, `secret`, `token` or `password` in its name.
 */

const secretNames = /(^|_)(hash|hashes|secret|secrets|token|tokens|password|passwords)(_|$)/;

/** Secrets whose columns have other names. */
const otherSecrets: ReadonlySet<string> = new Set([
  // How a shopper confirms a payment, with the secret of the provider's session.
  'payment_sessions.next_action',
]);

/** Log-ins, links and uploads in progress, limits of guests, stored responses, and the work of the box itself. */
const transientTables =
  /_tokens$|_attempts$|^(staff|member)_sessions$|^(guest_reservations|guest_secrets|guest_units|idempotency_keys|reference_versions|background_tasks|event_deliveries|media_uploads|tenant_exports)$/;

/** Whether a column holds a secret or a hash of one. */
export function isSecretColumn(table: string, column: string): boolean {
  return secretNames.test(column) || otherSecrets.has(`${table}.${column}`);
}

/** Whether all rows of a table stay in the box. */
export function isTransientTable(table: string): boolean {
  return transientTables.test(table);
}
