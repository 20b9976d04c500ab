/**
 * Queries of the settings of payment methods.
 */
import { json, type MoneyValue, newId, type TenantDatabase } from '@carton/runtime';
import type { CaptureMode } from '../schemas.ts';
import type { ChangePaymentMethod } from './schemas.ts';

export interface MethodRow {
  id: string;
  provider: string;
  code: string;
  enabled: boolean;
  position: number;
  captureMode: CaptureMode;
  /** As staff wrote it; null for the name of the code. */
  name: string | null;
  instructions: string | null;
  fees: MoneyValue[];
  createdAt: string;
  updatedAt: string;
}

/** The methods that staff have seen, with their settings, in display order. */
export function rowsOfMethods(db: TenantDatabase): Promise<MethodRow[]> {
  return db.query('select * from payment_methods where tenant_id = $1 order by position, created_at, id');
}

/** Locks a method until the transaction ends, shared; null if staff have never seen it. */
export async function lockMethodRow(
  tx: TenantDatabase,
  { provider, code }: Pick<MethodRow, 'provider' | 'code'>,
): Promise<MethodRow | null> {
  const [row] = await tx.query<MethodRow>(
    'select * from payment_methods where tenant_id = $1 and provider = $2 and code = $3 for share',
    [provider, code],
  );
  return row ?? null;
}

type NewMethod = Pick<MethodRow, 'provider' | 'code' | 'enabled' | 'position' | 'captureMode'>;

/** Inserts methods with their defaults; those that a concurrent request has inserted stay as they are. */
export async function insertMethods(db: TenantDatabase, methods: readonly NewMethod[]): Promise<void> {
  await db.query(
    `insert into payment_methods (tenant_id, id, provider, code, enabled, position, capture_mode)
     select $1, method.id, method.provider, method.code, method.enabled, method.position, method."captureMode"
       from jsonb_to_recordset($2::jsonb) as method
            (id uuid, provider text, code text, enabled boolean, position integer, "captureMode" text)
     on conflict do nothing`,
    [JSON.stringify(methods.map((method) => ({ id: newId(), ...method })))],
  );
}

/** Null for an unknown id. */
export async function updateMethod(
  tx: TenantDatabase,
  id: string,
  { fees, ...fields }: ChangePaymentMethod,
): Promise<MethodRow | null> {
  const values = { ...fields, fees: fees && json(fees), updatedAt: new Date() };
  const [row] = await tx.update<MethodRow>('payment_methods', { id }, values);
  return row ?? null;
}

/** A payment method with its fees, at most one for each currency. */
export interface MethodFees {
  id: string;
  provider: string;
  code: string;
  name: string | null;
  fees: MoneyValue[];
}

/** The enabled method with this code that comes first, as for its offer. */
export async function findFees(db: TenantDatabase, code: string): Promise<MethodFees | null> {
  const [row] = await db.query<MethodFees>(
    `select id, provider, code, name, fees from payment_methods where tenant_id = $1 and code = $2 and enabled
      order by position, created_at, id limit 1`,
    [code],
  );
  return row ?? null;
}
