/**
 * Payment methods: those of the adapters, as staff have configured them.
 */
import type { StoreTask } from '@carton/core';
import { invalidField, type MoneyValue, notFound, type TenantDatabase } from '@carton/runtime';
import { adapterOf, boundAdapters, noOperationAdapter, requireAdapter } from '../adapters/bound.ts';
import { paymentMethodUnavailable, paymentMethodUnknown } from '../adapters/problems.ts';
import type { CaptureMode } from '../schemas.ts';
import type { AdminPaymentMethod, ChangePaymentMethod } from './schemas.ts';
import { insertMethods, lockMethodRow, type MethodRow, rowsOfMethods, updateMethod } from './store.ts';

/** A method that shoppers may choose. */
export type OfferedMethod = Pick<MethodRow, 'provider' | 'code' | 'captureMode' | 'instructions' | 'fees'> & {
  name: string;
};

/** The name of a method for shoppers: as staff wrote it, else its code in words, `Bank transfer`. */
export function nameOfMethod({ name, code }: Pick<MethodRow, 'name' | 'code'>): string {
  const words = code.replaceAll('_', ' ');
  return name ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Every method of every adapter with its defaults, in the order of the adapters. */
async function methodsOf(db: TenantDatabase) {
  const methods = boundAdapters(db).map(async (adapter) => {
    const captureMode: CaptureMode = adapter.byHand ? 'manual' : 'automatic';
    return (await adapter.methods(db)).map((code) => ({ provider: adapter.name, code, captureMode }));
  });
  return (await Promise.all(methods)).flat().map((method, position) => ({
    ...method,
    name: null,
    instructions: null,
    fees: [] as MoneyValue[],
    enabled: true,
    position,
  }));
}

function isSameMethod({ provider, code }: Pick<MethodRow, 'provider' | 'code'>) {
  return (other: Pick<MethodRow, 'provider' | 'code'>) => other.provider === provider && other.code === code;
}

/**
 * The methods that shoppers may choose, in display order. If two adapters offer the same code, the first one serves it.
 */
export async function offeredMethods(db: TenantDatabase): Promise<OfferedMethod[]> {
  const methods = await methodsOf(db);
  if (methods.length === 0) return [];
  const rows = await rowsOfMethods(db);
  const arranged = methods
    .map((method) => ({ ...method, ...rows.find(isSameMethod(method)) }))
    .map((method) => ({ ...method, name: nameOfMethod(method) }))
    .filter(({ enabled }) => enabled)
    .sort((one, other) => one.position - other.position);
  return arranged.filter(({ code }, index) => arranged.findIndex((other) => other.code === code) === index);
}

/** Adapters are bound, so that orders are to be paid, and staff have disabled all of their methods. */
export const methodMissing: StoreTask = {
  code: 'payment_method_missing',
  detail:
    'Enable a payment method, or ask the operator to set up an account with the provider: shoppers are offered no method.',
  isOpen: async (db) => boundAdapters(db)[0] !== noOperationAdapter && (await offeredMethods(db)).length === 0,
};

/** Whether the shoppers of a store may choose a method that is paid online. */
export async function offersPaymentOnline(db: TenantDatabase): Promise<boolean> {
  return (await offeredMethods(db)).some(({ provider }) => !adapterOf(db, provider)?.byHand);
}

/** Whether shoppers may choose the method; also true where payments are not configured, which the start of one says (503). */
export async function isMethodOffered(db: TenantDatabase, code: string): Promise<boolean> {
  if (boundAdapters(db)[0] === noOperationAdapter) return true;
  return (await offeredMethods(db)).some((offered) => offered.code === code);
}

/** Whether the method that this code offers is paid by hand; false if none does. */
export async function isMethodByHand(db: TenantDatabase, code: string): Promise<boolean> {
  if (!boundAdapters(db).some(({ byHand }) => byHand)) return false;
  const method = (await offeredMethods(db)).find((offered) => offered.code === code);
  return method !== undefined && adapterOf(db, method.provider)?.byHand === true;
}

/**
 * The offered method with this code.
 * @throws payments_not_configured (503) with the default adapter, payment_method_unknown (400)
 */
export async function offeredMethod(db: TenantDatabase, code: string): Promise<OfferedMethod> {
  requireAdapter(db);
  const methods = await offeredMethods(db);
  const method = methods.find((offered) => offered.code === code);
  if (!method) throw methodUnknown(code, methods);
  return method;
}

type MethodOfProvider = Pick<OfferedMethod, 'provider'>;

/** Whether the provider of a method moves only some amounts. */
export function dependsOnAmount(db: TenantDatabase, { provider }: MethodOfProvider): boolean {
  return adapterOf(db, provider)?.refusalOf !== undefined;
}

/** Why a method cannot charge an amount, in a sentence; null if it can. */
export function refusalOfMethod(db: TenantDatabase, { provider }: MethodOfProvider, amount: MoneyValue): string | null {
  return adapterOf(db, provider)?.refusalOf?.(amount, 'charge') ?? null;
}

/**
 * The same for the method that a code offers; null if none does.
 * @param findAmount called if the answer depends on the amount; null for nothing to charge
 */
export async function findRefusal(
  db: TenantDatabase,
  code: string,
  findAmount: () => Promise<MoneyValue | null>,
): Promise<string | null> {
  if (!boundAdapters(db).some((adapter) => adapter.refusalOf)) return null;
  const method = (await offeredMethods(db)).find((offered) => offered.code === code);
  if (!method || !dependsOnAmount(db, method)) return null;
  const amount = await findAmount();
  return amount && refusalOfMethod(db, method, amount);
}

/** @throws payment_method_unavailable (409) if the method cannot charge the amount */
export function requireCharge(db: TenantDatabase, method: MethodOfProvider, amount: MoneyValue): void {
  const reason = refusalOfMethod(db, method, amount);
  if (reason === null) return;
  const errors = [{ in: 'body' as const, pointer: '/paymentMethod', detail: 'must be able to charge this amount' }];
  throw paymentMethodUnavailable(`${reason} Choose another payment method.`, { errors });
}

function methodUnknown(code: string, offered: readonly OfferedMethod[]) {
  const detail = `must be one of ${offered.map((method) => method.code).join(', ')}`;
  return paymentMethodUnknown(`${code} is not offered.`, {
    errors: [{ in: 'body', pointer: '/paymentMethod', detail }],
  });
}

/**
 * Locks a method until the transaction ends, so that a method that was disabled meanwhile places no order.
 * @returns its row, null if staff have never seen it
 * @throws payment_method_unknown (400)
 */
export async function lockMethod(
  tx: TenantDatabase,
  { provider, code }: Pick<OfferedMethod, 'provider' | 'code'>,
): Promise<MethodRow | null> {
  const row = await lockMethodRow(tx, { provider, code });
  if (row?.enabled === false) throw methodUnknown(code, await offeredMethods(tx));
  return row;
}

/** Every method with its configuration. A method gets its row, and so its id, when it is first listed. */
export async function listMethods(db: TenantDatabase): Promise<AdminPaymentMethod[]> {
  const methods = await methodsOf(db);
  let rows = await rowsOfMethods(db);
  const unseen = methods.filter((method) => !rows.some(isSameMethod(method)));
  if (unseen.length > 0) {
    await insertMethods(db, unseen);
    rows = await rowsOfMethods(db);
  }
  return rows.map((row) => ({ ...row, available: methods.some(isSameMethod(row)) }));
}

/** @throws not_found (404), invalid_request (400) for automatic capture of a manual method, and two fees in a currency */
export async function changeMethod(
  db: TenantDatabase,
  id: string,
  patch: ChangePaymentMethod,
): Promise<AdminPaymentMethod> {
  const currencies = patch.fees?.map(({ currency }) => currency) ?? [];
  const duplicate = currencies.findIndex((currency, at) => currencies.indexOf(currency) < at);
  if (duplicate !== -1) throw invalidField(`/fees/${duplicate}`, 'is a second fee in this currency');
  const row = await db.transaction(async (tx) => {
    const changed = await updateMethod(tx, id, patch);
    if (!changed) throw notFound(`No payment method has the id ${id}.`);
    if (patch.captureMode === 'automatic' && adapterOf(tx, changed.provider)?.byHand) {
      throw invalidField('/captureMode', 'must be manual: staff record when this money arrives');
    }
    return changed;
  });
  return { ...row, available: (await methodsOf(db)).some(isSameMethod(row)) };
}
