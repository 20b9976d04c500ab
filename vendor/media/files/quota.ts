/**
 * The quota of media files, in bytes. That of files with an owner is kept; files on their way to one are few, and they
 * stop counting when they expire, so each upload counts them.
 */
import { requireRoom, type TenantQuota } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { mediaSettings, megabyte } from '../settings.ts';
import { countAwaitedBytes, countOwnedBytes } from './store.ts';

export const mediaQuota: TenantQuota = {
  name: 'mediaMegabytes',
  unit: 'MiB of media',
  description: 'Space for media files in MiB, without their sized variants',
  perUnit: megabyte,
  defaultLimit: (box) => mediaSettings.of(box).quotaMegabytes,
  kept: countOwnedBytes,
  live: countAwaitedBytes,
};

/**
 * Admits the upload of files that become media: there is room for what is announced.
 * @returns the bytes for which there is room; null for no limit
 * @throws quota_exceeded (409)
 */
export function admitMedia({ db }: { db: TenantDatabase }, announced: number | null): Promise<number | null> {
  // A form is little longer than its file, and its fields do not count.
  return requireRoom(db, mediaQuota, Math.max(0, (announced ?? 0) - formBytes));
}
/** More than the fields and boundaries of a form have. */
const formBytes = 64 * 1024;
