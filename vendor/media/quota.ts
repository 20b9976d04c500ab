/**
 * The quota of media files, in bytes. That of files with an owner is kept; files on their way to one are few, and they
 * stop counting when they expire, so each upload counts them.
 */
import type { TenantQuota } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { mediaSettings, megabyte } from './settings.ts';

const countBytes = (condition: string) => async (db: TenantDatabase) => {
  const [row] = await db.query<{ bytes: number }>(
    `select coalesce(sum(size), 0)::bigint as bytes from media_files
      where tenant_id = $1 and variant in ('original', 'upload', 'private') and ${condition}`,
  );
  return row?.bytes ?? 0;
};

export const mediaQuota: TenantQuota = {
  name: 'mediaMegabytes',
  unit: 'MiB of media',
  description: 'Space for media files in MiB, without their sized variants',
  perUnit: megabyte,
  defaultLimit: (box) => mediaSettings.of(box).quotaMegabytes,
  kept: countBytes('expires_at is null'),
  live: countBytes('expires_at > now()'),
};
