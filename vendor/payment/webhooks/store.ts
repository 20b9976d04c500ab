/**
 * Queries of the events of providers.
 */
import { json, type TenantDatabase } from '@carton/runtime';
import type { ProviderEvent } from '../adapters/adapter.ts';

/**
 * Stores a provider's event. False for a duplicate, after waiting for a concurrent transaction that stores the same
 * one.
 */
export async function insertWebhookEvent(
  tx: TenantDatabase,
  provider: string,
  { id, payment }: ProviderEvent,
): Promise<boolean> {
  const inserted = await tx.query(
    `insert into payment_webhook_events (tenant_id, provider, event_id, payment_id, state)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning event_id`,
    [provider, id, payment?.id ?? null, payment ? json(payment.state) : null],
  );
  return inserted.length > 0;
}
