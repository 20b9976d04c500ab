/**
 * Authentication of members by session: a bearer token or a cookie.
 */
import { hashToken, type MemberAuthenticator } from '@carton/runtime';
import { memberCookies, prefix } from '../credentials.ts';
import { findMemberBySession } from './store.ts';

export const memberAuthenticator: MemberAuthenticator = {
  cookieName: memberCookies.sessionName,
  async identify({ db }, token) {
    if (!token.startsWith(prefix)) return null;
    const memberId = await findMemberBySession(db, hashToken(token));
    return memberId === null ? null : { memberId };
  },
};
