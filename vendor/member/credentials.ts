/**
 * What a request of a member is known by: the token of a session, in a header or a cookie, and that of a device.
 */
import { type Attempt, accountCookies } from '@carton/auth';
import { type BoxServices, bearerToken, hashToken, type ServicesFor } from '@carton/runtime';

/** The realm of members in the counts of attempts. */
export const realm = 'member';

/** `lax`: the member stays logged in when another site links to the store. */
export const memberCookies = accountCookies({
  session: 'member',
  device: 'member_device',
  path: '/',
  sameSite: 'lax',
});

/** The prefix of the tokens of sessions. */
export const prefix = 'mbs_';

/** The hash of the session token of a request; null without one. A bearer token takes precedence over the cookie. */
export function sessionHashOf({ headers, cookies }: Pick<BoxServices, 'headers' | 'cookies'>): string | null {
  const token = bearerToken({ headers }) ?? memberCookies.readSession(cookies);
  return token?.startsWith(prefix) ? hashToken(token) : null;
}

/** What an attempt of a member at the own password needs. */
export type OwnAttempt = Pick<ServicesFor<'member'>, 'client' | 'cookies' | 'headers'>;

/** An attempt of a member who is logged in at the password of the own account. */
export function ownAttempt(caller: OwnAttempt, account: string): Attempt {
  const device = memberCookies.readDevice(caller.cookies, account);
  return { realm, account, address: caller.client.address, device, session: sessionHashOf(caller) };
}
