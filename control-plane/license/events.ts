/**
 * Events of licences.
 */
import type { Static, TSchema } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { recordEvent } from '../events/outbox.ts';
import type { EventDefinition, LicensePayload } from '../events/types.ts';
import type { License } from './schemas.ts';

/** Records an event of a licence, in the transaction that changed or locked it. `more` is what its payload adds. */
export async function recordLicenseEvent<Payload extends TSchema>(
  transaction: Knex.Transaction,
  definition: EventDefinition<Payload>,
  { id, customerId, tier, status, trial, expiresAt, endsAt, replaces, replacedBy }: License,
  ...[more]: Static<Payload> extends LicensePayload
    ? [keyof Static<Payload>] extends [keyof LicensePayload]
      ? []
      : [Omit<Static<Payload>, keyof LicensePayload>]
    : never
): Promise<void> {
  const payload = { customerId, tier, status, trial, expiresAt, endsAt, replaces, replacedBy, ...more };
  await recordEvent(transaction, definition, { resource: 'license', id, customerId }, payload as Static<Payload>);
}
