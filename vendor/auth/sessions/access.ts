/**
 * Authentication of staff by session: a bearer token or a cookie.
 */
import { type AccessOptions, type BoxAccessKind, hashToken } from '@carton/runtime';
import { staffCookies } from '../cookies.ts';
import { permissionsOf, permits } from '../permissions/service.ts';
import { sessionTokenOf } from './service.ts';
import { findStaffBySession } from './store.ts';

export const staffAccess = ({ secureCookies }: AccessOptions): BoxAccessKind<'staff'> => ({
  name: 'staff',
  schemes: {
    staffSession: { type: 'http', scheme: 'bearer', description: 'Token of POST /admin/auth/login' },
    staffCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: staffCookies.sessionName(secureCookies),
      description: 'Set by POST /admin/auth/login with `cookie`; for pages of the same site',
    },
  },
  async authenticate(ctx, { tenant, db }) {
    const token = tenant && sessionTokenOf(ctx);
    const staff = token && (await findStaffBySession(db, hashToken(token)));
    if (!staff) return null;
    const { id, email, role, sessionId } = staff;
    const permissions = await permissionsOf(db, { type: 'staff', id, role });
    return { staff: { type: 'staff', id, label: email, permissions, sessionId } };
  },
  permits: ({ staff }, permission) => permits(staff.permissions, permission),
});
