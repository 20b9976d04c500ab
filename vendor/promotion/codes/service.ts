/**
 * Codes of promotions: added by hand, generated, exported and disabled by staff.
 */
import { randomInt } from 'node:crypto';
import { invalidField, invalidRequest, notFound, type TenantDatabase } from '@carton/runtime';
import { promotionAutomatic, promotionCodeTaken } from '../problems.ts';
import { promotions } from '../promotions/store.ts';
import type { CreatePromotionCodes } from './schemas.ts';
import { eachCode, findCode, insertCodes, markDisabled } from './store.ts';
import { codeKey, isCodeText, storedCode } from './text.ts';

/** Without characters that are taken for one another: 0 and O, 1, I and L. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
/** 59 random bits. */
const randomLength = 12;

function generateCode(prefix: string): string {
  return prefix + Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/**
 * Adds or generates codes.
 * @returns the new codes
 * @throws not_found (404), invalid_request (400), promotion_automatic, promotion_code_taken (409)
 */
export function createCodes(
  db: TenantDatabase,
  promotionId: string,
  { codes, generate, maxUses }: CreatePromotionCodes,
): Promise<string[]> {
  if ((codes === undefined) === (generate === undefined)) throw invalidRequest('Send either codes or generate.');
  for (const [at, code] of (codes ?? []).entries()) requireCode(code, `/codes/${at}`, { min: 3, max: 50 });
  if (generate?.prefix !== undefined) requireCode(generate.prefix, '/generate/prefix', { min: 1, max: 30 });
  return db.transaction(async (tx) => {
    // The lock keeps the promotion from being deleted or made automatic.
    const promotion = await promotions.lock(tx, promotionId);
    if (promotion.automatic) throw promotionAutomatic('Create another promotion for codes.');
    if (!generate) return addCodes(tx, promotionId, codes ?? [], maxUses ?? null);
    const prefix = generate.prefix === undefined ? '' : `${codeKey(generate.prefix)}-`;
    const created: string[] = [];
    // A duplicate is next to impossible, and replaced.
    while (created.length < generate.count) {
      const missing = Array.from({ length: generate.count - created.length }, () => generateCode(prefix));
      created.push(...(await insertCodes(tx, promotionId, [...new Set(missing)], maxUses === undefined ? 1 : maxUses)));
    }
    return created;
  });
}

/** @throws invalid_request (400) */
function requireCode(text: string, pointer: string, length: { min: number; max: number }): void {
  if (isCodeText(text, length)) return;
  throw invalidField(
    pointer,
    `must have ${length.min} to ${length.max} letters, digits, hyphens and underscores, the first a letter or digit`,
  );
}

async function addCodes(
  tx: TenantDatabase,
  promotionId: string,
  codes: readonly string[],
  maxUses: number | null,
): Promise<string[]> {
  const distinct = [...new Map(codes.map((code) => [codeKey(code), storedCode(code)])).values()];
  const created = await insertCodes(tx, promotionId, distinct, maxUses);
  const taken = distinct.find((code) => !created.includes(code));
  if (taken !== undefined) throw promotionCodeTaken(`The code ${taken} exists already.`);
  return created;
}

/** Disables a code; idempotent. It stays in use, so that it cannot mean another promotion. @throws not_found (404) */
export async function disableCode(db: TenantDatabase, promotionId: string, codeId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await promotions.require(tx, promotionId);
    const code = await findCode(tx, promotionId, codeId);
    if (!code) throw notFound(`No code has the id ${codeId}.`);
    if (code.disabledAt === null) await markDisabled(tx, code);
  });
}

/** All codes of a promotion as CSV (RFC 4180). @throws not_found (404) */
export async function* exportCodes(db: TenantDatabase, promotionId: string): AsyncGenerator<string> {
  await promotions.require(db, promotionId);
  yield 'code,max_uses,disabled_at,created_at\r\n';
  // Codes consist of letters, digits, hyphens and underscores, so that nothing needs quotes.
  for await (const { code, maxUses, disabledAt, createdAt } of eachCode(db, promotionId)) {
    yield `${code},${maxUses ?? ''},${disabledAt ?? ''},${createdAt}\r\n`;
  }
}
