/**
 * The cookies of staff: one for the session, and one per account for the token of a trusted device. Secure cookies have
 * the prefix `__Host-`, so that no other host can set them (RFC 6265bis, section 4.1.3.2); the prefix requires the path
 * `/`. Without TLS the path is `/admin`. Scripts cannot read them.
 */
import { type BoxServices, hashToken, vendor } from '@carton/runtime';
import { trustedDays } from './attempts.ts';

type Cookies = BoxServices['cookies'];

/** The name of the cookie that holds the session. */
export function staffCookieName(secure: boolean): string {
  return `${secure ? '__Host-' : ''}${vendor.name}_staff`;
}

/** Each account has its own cookie, since several people may share a device. The name is hashed to hide the account. */
function deviceCookieName(secure: boolean, account: string): string {
  return `${secure ? '__Host-' : ''}${vendor.name}_device_${hashToken(account).slice(0, 12)}`;
}

function optionsOf({ secure }: Cookies) {
  return { path: secure ? '/' : '/admin', httpOnly: true, sameSite: 'strict', overwrite: true } as const;
}

export function readSessionCookie(cookies: Cookies): string | undefined {
  return cookies.get(staffCookieName(cookies.secure));
}

export function setSessionCookie(cookies: Cookies, token: string, minutes: number): void {
  cookies.set(staffCookieName(cookies.secure), token, { ...optionsOf(cookies), maxAge: minutes * 60 * 1000 });
}

export function clearSessionCookie(cookies: Cookies): void {
  if (readSessionCookie(cookies) !== undefined) cookies.set(staffCookieName(cookies.secure), null, optionsOf(cookies));
}

export function readDeviceCookie(cookies: Cookies, account: string): string | undefined {
  return cookies.get(deviceCookieName(cookies.secure, account));
}

export function setDeviceCookie(cookies: Cookies, account: string, device: string): void {
  const maxAge = trustedDays * 24 * 60 * 60 * 1000;
  cookies.set(deviceCookieName(cookies.secure, account), device, { ...optionsOf(cookies), maxAge });
}
