/**
 * Who works in the administration.
 */
import type { Actor } from '../db/changes.ts';

/** Somebody signed in to the administration, or the operator, who may do everything in the box. */
export interface StaffCaller extends Actor {
  /** `*` stands for every permission. */
  permissions: readonly string[];
  /** The session, for whoever ends it. */
  sessionId?: string;
}
