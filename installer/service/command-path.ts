/**
 * The path of this command in a unit, which the user of the service must be able to run.
 */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import type { Account } from './account.ts';

/** @throws Failure folder_unusable when the user cannot run the command where it is */
export async function checkReachable(path: string, account: Account): Promise<void> {
  for (let each = path; ; each = dirname(each)) {
    if (!(await mayExecute(each, account))) {
      throw new Failure(
        'folder_unusable',
        `the user ${account.name} cannot run ${path}: ${each} is closed to it`,
        `Move the command: install -m 755 ${path} ${join('/usr/local/bin', vendor)}, and run it from there`,
      );
    }
    if (each === '/') return;
  }
}

async function mayExecute(path: string, { uid, gid }: Account): Promise<boolean> {
  const { mode, uid: owner, gid: group } = await stat(path);
  if (owner === uid) return (mode & 0o100) !== 0;
  return ((group === gid ? mode & 0o010 : mode & 0o001) & 0o111) !== 0;
}
