/**
 * Writes changes to the journal: wraps the handlers of routes that administrators and the publisher change something with.
 */
import { accessKindsOf, addressBlock, Problem, type Route } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Actor, CommonServices, InTransaction } from '../services.ts';
import { addToJournal, type JournalEntry } from './journal.ts';

/** Fields of bodies whose values are noted. The values of all others may be secrets, URLs with secrets, or texts. */
const notedFields: ReadonlySet<string> = new Set([
  'channel',
  'customerId',
  'disabled',
  'expiresAt',
  'maxBoxes',
  'maxInstallations',
  'name',
  'overlapHours',
  'revoke',
  'role',
  'tier',
  'version',
]);
const longestValue = 255;
const longestPath = 1024;

interface Input extends CommonServices {
  actor: Actor;
  body: unknown;
}

/** Whether the requests of a route are written to the journal. */
export function isJournalled({ declaration }: Route<never>): boolean {
  const kinds = accessKindsOf(declaration);
  return declaration.method !== 'get' && (kinds.includes('admin') || kinds.includes('publisher'));
}

/**
 * Returns the route with its journal. The handler gets a transaction as `db`, in which the row is written too; that of a
 * handler that works outside a transaction is written after its work and before the response. The row of a request that
 * was rejected is written after its transaction was undone.
 */
export function journalled<Services extends CommonServices>(route: Route<InTransaction<Services>>): Route<Services> {
  // Only what `changesFor` declares gets a transaction, and all of that is journalled.
  if (!isJournalled(route)) return route as unknown as Route<Services>;
  const { declaration, handler } = route;
  const handle = handler as unknown as (input: Input) => Promise<unknown>;

  async function journal(input: Input): Promise<unknown> {
    const { db } = input;
    const write = (transaction: Knex.Transaction, status: number, result: unknown) =>
      addToJournal(transaction, input.journalKeys, entryOf(declaration.operationId, input, status, result));
    try {
      if (declaration.outsideTransaction) {
        const result = await handle(input);
        await db.transaction((transaction) => write(transaction, declaration.status, result));
        return result;
      }
      return await db.transaction(async (transaction) => {
        const result = await handle({ ...input, db: transaction });
        await write(transaction, declaration.status, result);
        return result;
      });
    } catch (error) {
      const status = error instanceof Problem ? error.type.status : 500;
      await db.transaction((transaction) => write(transaction, status, null));
      throw error;
    }
  }
  return { ...route, handler: journal } as unknown as Route<Services>;
}

function entryOf(operationId: string, input: Input, status: number, result: unknown): JournalEntry {
  const { actor, client, request, body } = input;
  return {
    administratorId: actor.id,
    administrator: actor.name,
    role: actor.role,
    operationId,
    method: request.method,
    path: request.path.slice(0, longestPath),
    requestId: request.id,
    status,
    address: addressBlock(client.address),
    change: JSON.stringify({ ...idOf(result), ...notedOf(body) }),
  };
}

/** The id of what was created or changed. */
function idOf(result: unknown): { id?: string } {
  const { id } = (result ?? {}) as { id?: unknown };
  return typeof id === 'string' ? { id } : {};
}

function notedOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, notedFields.has(name) && isShort(value) ? value : 'not noted']),
  );
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= longestValue : value === null || typeof value !== 'object';
}
