/**
 * The cookies of staff: one holds a session, one for each account says that the account knows the device. Where cookies
 * go over TLS only, a browser takes them from this very host alone (`__Host-`, RFC 6265bis, section 4.1.3.2), which asks
 * for the path `/`; elsewhere only the administration is sent them. Scripts never see them.
 */
import { type BoxServices, hashToken, vendor } from '@carton/runtime';
import { knownDays } from './attempts.ts';

type Cookies = BoxServices['cookies'];

/** The name of the cookie that holds the session. */
export function staffCookieName(secure: boolean): string {
  return `${secure ? '__Host-' : ''}${vendor.name}_staff`;
}

/** Several people may work at one device: each account has a cookie of its own there, which does not say whose it is. */
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
  const maxAge = knownDays * 24 * 60 * 60 * 1000;
  cookies.set(deviceCookieName(cookies.secure, account), device, { ...optionsOf(cookies), maxAge });
}
