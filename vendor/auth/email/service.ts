/**
 * Rules for changing the e-mail address of a member of staff: the new address gets a link, the former one a notice.
 */
import {
  type BoxServices,
  hashToken,
  invalidField,
  isUniqueViolation,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { type LoggedIn, readOwnUser, verifyOwnPassword } from '../account/service.ts';
import { countLinkRequest, countWrongToken } from '../attempts/service.ts';
import { removeInvitesOf } from '../invites/store.ts';
import { consumeLink, findLinkOwner, type LinkRecipient, removeExpiredLinks } from '../link-store.ts';
import { withCode } from '../second-factor/service.ts';
import { isFactorEnabled } from '../second-factor/store.ts';
import { inMinutes, newToken, normalizeEmail } from '../secrets.ts';
import { endAccess, lockStaff, staffUsers } from '../store.ts';
import { emailChanged, emailChangeRequested } from './events.ts';
import { emailChangeUnknown, emailTaken } from './problems.ts';
import type { RequestEmailChange } from './schemas.ts';
import { insertRequest, setSecret } from './store.ts';

/** As long as the longest wait for another link, and some time to read the mail. */
const linkMinutes = 60;

/**
 * Requests a link to a new address, by the password and, where a second factor is enabled, a code. The response does not
 * tell whether another member of staff has the address: that shows when the link is sent.
 * @throws invalid_request (400), wrong_password (403), wrong_code (403), second_factor_not_enabled (409),
 * too_many_requests (429)
 */
export async function requestEmailChange(
  caller: LoggedIn,
  { email, password, code }: RequestEmailChange,
): Promise<void> {
  const { db, client } = caller;
  const account = normalizeEmail(email);
  const user = await readOwnUser(caller);
  const guard = await verifyOwnPassword(caller, user, password);
  const insert = async (tx: TenantDatabase) => {
    await guard.succeeded(tx);
    await countLinkRequest(tx, { realm: 'staff', account, address: client.address });
    await removeExpiredLinks(tx);
    const expiresAt = inMinutes(linkMinutes);
    const requestId = await insertRequest(tx, { staffUserId: user.id, email: account, expiresAt });
    await publish(tx, emailChangeRequested, { type: 'staff_user', id: user.id }, { requestId, expiresAt });
  };
  if (code !== undefined) return withCode(caller, user, code, insert);
  if (await isFactorEnabled(db, user.id)) throw invalidField('/code', 'is required while the second factor is enabled');
  await db.transaction(insert);
}

/**
 * Creates the secret of a requested link, when it is sent. A further call replaces it.
 * @returns null if the request is used or expired, or a member of staff has the address
 */
export async function issueEmailChange(
  db: TenantDatabase,
  requestId: string,
): Promise<(LinkRecipient & { token: string }) | null> {
  const token = newToken('eml');
  const recipient = await setSecret(db, requestId, hashToken(token));
  return recipient && { ...recipient, token };
}

/**
 * Gives a member of staff the address of a link. Ends all sessions and links of the person, also the links sent to the
 * former address, and withdraws invites to the new one.
 * @throws email_change_unknown (404), staff_email_taken (409), too_many_requests (429)
 */
export async function confirmEmailChange(
  { db, client }: Pick<BoxServices, 'db' | 'client'>,
  token: string,
): Promise<void> {
  const tokenHash = hashToken(token);
  const id = await findLinkOwner(db, tokenHash, 'email_change');
  if (id === null) {
    await countWrongToken(db, { realm: 'staff', token: 'email change', address: client.address });
    throw emailChangeUnknown();
  }
  const work = db.transaction(async (tx) => {
    const user = await lockStaff(tx, id);
    const email = (await consumeLink(tx, tokenHash, 'email_change'))?.email;
    if (user?.status !== 'active' || !email) throw emailChangeUnknown();
    await endAccess(tx, id);
    await removeInvitesOf(tx, email);
    await staffUsers.change(tx.as({ type: 'staff', id, label: user.email }), id, { email });
    await publish(tx, emailChanged, { type: 'staff_user', id }, { formerEmail: user.email });
  });
  await work.catch((error) => {
    throw isUniqueViolation(error, 'staff_users_email') ? emailTaken('Use another address.') : error;
  });
}
