/**
 * Queries of `contact_messages`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { type MessageRow, messageStatuses } from './schemas.ts';

export const messages = rows<MessageRow>({
  table: 'contact_messages',
  noun: 'contact message',
  choices: { status: messageStatuses },
});

/** The messages of the last hour: those from an address, and all. */
export async function countRecent(db: TenantDatabase, emailKey: string): Promise<{ own: number; all: number }> {
  const [counted] = await db.query<{ own: number; all: number }>(
    `select count(*) filter (where email_key = $2)::int as own, count(*)::int as all from contact_messages
      where tenant_id = $1 and created_at > now() - interval '1 hour'`,
    [emailKey],
  );
  return counted ?? { own: 0, all: 0 };
}
