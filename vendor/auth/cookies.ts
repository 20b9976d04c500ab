/**
 * The cookies of accounts: one for the session, and one per account for the token of a trusted device. Secure cookies
 * have the prefix `__Host-`, so that no other host can set them (RFC 6265bis, section 4.1.3.2); the prefix requires the
 * path `/`. Scripts cannot read them.
 */
import { type BoxServices, hashToken, vendor } from '@carton/runtime';
import { trustedDays } from './attempts/store.ts';

type Cookies = BoxServices['cookies'];

export interface AccountCookieOptions {
  /** Names the cookie of the session: `carton_<session>`. */
  session: string;
  /** Names the cookies of devices. */
  device: string;
  /** The path without TLS. */
  path: string;
  sameSite: 'strict' | 'lax';
}

export interface AccountCookies {
  /** The name of the cookie that holds the session. */
  sessionName(secure: boolean): string;
  readSession(cookies: Cookies): string | undefined;
  setSession(cookies: Cookies, token: string, minutes: number): void;
  clearSession(cookies: Cookies): void;
  readDevice(cookies: Cookies, account: string): string | undefined;
  setDevice(cookies: Cookies, account: string, device: string): void;
}

/** The cookies of one kind of accounts. */
export function accountCookies({ session, device, path, sameSite }: AccountCookieOptions): AccountCookies {
  const nameOf = (secure: boolean, name: string) => `${secure ? '__Host-' : ''}${vendor.name}_${name}`;
  const optionsOf = ({ secure }: Cookies) =>
    ({ path: secure ? '/' : path, httpOnly: true, sameSite, overwrite: true }) as const;
  const sessionName = (secure: boolean) => nameOf(secure, session);
  // Each account has its own cookie, since several people may share a device. The name is hashed to hide the account.
  const deviceName = (secure: boolean, account: string) =>
    nameOf(secure, `${device}_${hashToken(account).slice(0, 12)}`);
  const readSession = (cookies: Cookies) => cookies.get(sessionName(cookies.secure));
  return {
    sessionName,
    readSession,
    setSession(cookies, token, minutes) {
      cookies.set(sessionName(cookies.secure), token, { ...optionsOf(cookies), maxAge: minutes * 60 * 1000 });
    },
    clearSession(cookies) {
      if (readSession(cookies) !== undefined) cookies.set(sessionName(cookies.secure), null, optionsOf(cookies));
    },
    readDevice: (cookies, account) => cookies.get(deviceName(cookies.secure, account)),
    setDevice(cookies, account, token) {
      const maxAge = trustedDays * 24 * 60 * 60 * 1000;
      cookies.set(deviceName(cookies.secure, account), token, { ...optionsOf(cookies), maxAge });
    },
  };
}

export const staffCookies = accountCookies({
  session: 'staff',
  device: 'device',
  path: '/admin',
  sameSite: 'strict',
});
