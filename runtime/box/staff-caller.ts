/**
 * The caller of staff routes.
 */
import type { Actor } from '../db/changes.ts';

/** A member of staff, an API key, or the operator, who has every permission. */
export interface StaffCaller extends Actor {
  /** `*` means every permission. */
  permissions: readonly string[];
  /** Id of the session of a member of staff who is logged in. */
  sessionId?: string;
}
