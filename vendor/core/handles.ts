/**
 * Handles in the language of the store.
 */
import { handleFromTitle, type TenantDatabase } from '@carton/runtime';
import { findStore } from './store.ts';

/** The handle of a title, not yet unique; `fallback` for a title without letters and digits. */
export async function handleOfTitle(db: TenantDatabase, title: string, fallback: string): Promise<string> {
  return handleFromTitle(title, fallback, (await findStore(db)).defaultLocale);
}

/**
 * The handle or id that a path names. A handle may be written in the script of the title of which it was derived: `kibodo` for
 * キーボード.
 */
export async function namedHandle(db: TenantDatabase, name: string): Promise<string> {
  return /\P{ASCII}/u.test(name) ? handleOfTitle(db, name, name) : name;
}
