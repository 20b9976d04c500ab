/**
 * Rules of the second factor of staff: codes of an authenticator and recovery codes. The password enables it, a code
 * confirms it, and only a code or an owner ends it; resetting the password does not.
 */
import { findStore } from '@carton/core';
import { publish, type TenantDatabase } from '@carton/runtime';
import { type LoggedIn, ownAttempt, readOwnUser, verifyOwnPassword } from '../account/service.ts';
import { guardCode } from '../attempts/service.ts';
import { ownAccount } from '../staff/problems.ts';
import { lockForChange } from '../staff/service.ts';
import { endAccess, lockStaff, type StaffRow } from '../store.ts';
import { hashRecoveryCode, isTimeCode, newRecoveryCodes, newSecret, normalizeCode, stepOf, uriOf } from './codes.ts';
import { decryptSecret, encryptSecret } from './encryption.ts';
import { secondFactorDisabled, secondFactorEnabled, secondFactorReset } from './events.ts';
import { secondFactorActive, secondFactorMissing, wrongCode } from './problems.ts';
import type { SecondFactor } from './schemas.ts';
import {
  enableFactor,
  findFactor,
  isFactorEnabled,
  removeFactor,
  replacePendingFactor,
  replaceRecoveryCodes,
  useRecoveryCode,
  useStep,
} from './store.ts';

/** Uses a code of an enabled factor. Returns what it is; null if it is wrong or has been used. */
export async function consumeCode(
  db: TenantDatabase,
  staffUserId: string,
  sent: string,
): Promise<'authenticator' | 'recovery_code' | null> {
  const code = normalizeCode(sent);
  if (!isTimeCode(code)) {
    return (await useRecoveryCode(db, staffUserId, hashRecoveryCode(code))) ? 'recovery_code' : null;
  }
  const factor = await findFactor(db, staffUserId);
  if (!factor) return null;
  const secret = decryptSecret(db, staffUserId, factor.secretKey);
  const step = stepOf(secret, code);
  if (step === null) return null;
  // A secret that was stored before the box had a key is encrypted now.
  const secretKey = secret === factor.secretKey ? encryptSecret(db, staffUserId, secret) : factor.secretKey;
  return (await useStep(db, factor, { step, secretKey })) ? 'authenticator' : null;
}

export async function readSecondFactor({ db, staff }: Pick<LoggedIn, 'db' | 'staff'>): Promise<SecondFactor> {
  const factor = await findFactor(db, staff.id);
  const enabledAt = factor?.enabledAt ?? null;
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft: factor?.recoveryHash.length ?? 0 };
}

/**
 * Creates a secret for an authenticator, in place of one that is not confirmed.
 * @throws wrong_password (403), second_factor_enabled (409), too_many_requests (429)
 */
export async function beginSecondFactor(caller: LoggedIn, password: string): Promise<{ uri: string; secret: string }> {
  const { db } = caller;
  const user = await readOwnUser(caller);
  const guard = await verifyOwnPassword(caller, user, password);
  const secret = newSecret();
  await db.transaction(async (tx) => {
    await lockStaff(tx, user.id);
    if (await isFactorEnabled(tx, user.id)) throw secondFactorActive('Disable it first.');
    await replacePendingFactor(tx, user.id, encryptSecret(tx, user.id, secret));
    await guard.succeeded(tx);
  });
  const { name } = await findStore(db);
  return { uri: uriOf(secret, { store: name, email: user.email }), secret };
}

/**
 * Enables the factor by a code of the authenticator, and ends the sessions that were opened without it.
 * @returns recovery codes, only here: their hashes are stored
 * @throws wrong_code (403), second_factor_not_begun (409), second_factor_enabled (409), too_many_requests (429)
 */
export async function confirmSecondFactor(caller: LoggedIn, sent: string): Promise<{ recoveryCodes: string[] }> {
  const { db, staff } = caller;
  const user = await readOwnUser(caller);
  const guard = await guardCode(db, ownAttempt(caller, user.email));
  const recoveryCodes = newRecoveryCodes();
  const isEnabled = await db.transaction(async (tx) => {
    // A log-in locks the person, too: it either sees the factor or its session ends here.
    await lockStaff(tx, user.id);
    const factor = await findFactor(tx, user.id);
    if (!factor) throw secondFactorMissing('Begin with POST /admin/me/second-factor.');
    if (factor.enabledAt) throw secondFactorActive();
    const lastStep = stepOf(decryptSecret(tx, user.id, factor.secretKey), normalizeCode(sent));
    if (lastStep === null) return false;
    await enableFactor(tx, factor, { lastStep, recoveryHash: recoveryCodes.map(hashRecoveryCode) });
    await endAccess(tx, user.id, staff.sessionId ?? null);
    await publish(tx, secondFactorEnabled, { type: 'staff_user', id: user.id }, {});
    await guard.succeeded(tx);
    return true;
  });
  if (!isEnabled) throw wrongCode(wrongCodeDetail);
  return { recoveryCodes };
}

/**
 * Replaces the recovery codes, by a code of the authenticator.
 * @throws wrong_code (403), second_factor_not_enabled (409), too_many_requests (429)
 */
export async function renewRecoveryCodes(caller: LoggedIn, sent: string): Promise<{ recoveryCodes: string[] }> {
  const user = await readOwnUser(caller);
  const recoveryCodes = newRecoveryCodes();
  const code = normalizeCode(sent);
  if (!isTimeCode(code)) throw wrongCode('Send a code of the authenticator: a recovery code is not accepted here.');
  await withCode(caller, user, code, (tx) => replaceRecoveryCodes(tx, user.id, recoveryCodes.map(hashRecoveryCode)));
  return { recoveryCodes };
}

/**
 * Disables the factor, by the password and a code or a recovery code.
 * @throws wrong_password (403), wrong_code (403), second_factor_not_enabled (409), too_many_requests (429)
 */
export async function disableSecondFactor(
  caller: LoggedIn,
  { password, code }: { password: string; code: string },
): Promise<void> {
  const user = await readOwnUser(caller);
  const guard = await verifyOwnPassword(caller, user, password);
  await withCode(caller, user, code, async (tx) => {
    await removeFactor(tx, user.id);
    await publish(tx, secondFactorDisabled, { type: 'staff_user', id: user.id }, {});
    await guard.succeeded(tx);
  });
}

const wrongCodeDetail = 'Wait for the next code of the authenticator: each works once. Check the clock of its device.';

/**
 * Does work that a code of the caller allows, in the transaction that uses the code.
 * @throws wrong_code (403), second_factor_not_enabled (409), too_many_requests (429)
 */
export async function withCode(
  caller: LoggedIn,
  { id, email }: StaffRow,
  code: string,
  work: (tx: TenantDatabase) => Promise<void>,
): Promise<void> {
  const { db } = caller;
  if (!(await isFactorEnabled(db, id))) throw secondFactorMissing('It is not enabled.');
  const guard = await guardCode(db, ownAttempt(caller, email));
  await db.transaction(async (tx) => {
    if ((await consumeCode(tx, id, code)) === null) throw wrongCode(wrongCodeDetail);
    await work(tx);
    await guard.succeeded(tx);
  });
}

/**
 * Removes the factor of another member of staff, who has lost it, and ends the person's sessions. One's own is disabled
 * by a code, which a stolen session does not have.
 * @throws not_found (404), own_account (409), second_factor_not_enabled (409), forbidden (403) for a person with more
 * permissions than the caller
 */
export async function resetSecondFactor({ db, staff }: Pick<LoggedIn, 'db' | 'staff'>, id: string): Promise<void> {
  if (id === staff.id) throw ownAccount('Disable your own second factor with a code, or ask another owner.');
  await db.transaction(async (tx) => {
    await lockForChange(tx, staff, id);
    if (!(await removeFactor(tx, id))) throw secondFactorMissing('This person has not enabled a second factor.');
    await endAccess(tx, id);
    const by = { actorType: staff.type, actorId: staff.id };
    await publish(tx, secondFactorReset, { type: 'staff_user', id }, by);
  });
}
