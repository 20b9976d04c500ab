/**
 * Queries of the templates that a store has changed.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { MailText } from './schemas.ts';

export interface TemplateRow {
  id: string;
  key: string;
  enabled: boolean;
  texts: MailText[];
  createdAt: string;
  updatedAt: string;
}

export const templates = rows<TemplateRow>({ table: 'notification_templates', noun: 'template', json: ['texts'] });

/** The template of a key, locked; null if the store has not changed it. */
export async function lockTemplate(tx: TenantDatabase, key: string): Promise<TemplateRow | null> {
  const [row] = await tx.query<TemplateRow>(
    'select * from notification_templates where tenant_id = $1 and key = $2 for update',
    [key],
  );
  return row ?? null;
}

/** Keys of the templates that the store has disabled. */
export async function findDisabled(db: TenantDatabase): Promise<ReadonlySet<string>> {
  const disabled = await db.query<{ key: string }>(
    'select key from notification_templates where tenant_id = $1 and not enabled',
  );
  return new Set(disabled.map(({ key }) => key));
}
