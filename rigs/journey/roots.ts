/**
 * Bare Debian systems: the root of each is made once by mmdebstrap, kept as an archive, and unpacked for each journey.
 * They have what Debian calls `minbase`: no Node.js, npm or PostgreSQL.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missingPrograms } from '@carton/runtime/testing';
import { Skipped, skipWithout } from '../support/rig.ts';

const run = promisify(execFile);

/** Debian 12 and 11. */
export const suites = ['bookworm', 'bullseye'] as const;
export type Suite = (typeof suites)[number];

/** @throws Skipped with what to install */
export function checkMachine(): void {
  if (process.getuid?.() !== 0) throw new Skipped('bare systems need root: run the rig as root');
  skipWithout(missingPrograms('mmdebstrap', 'unshare', 'nsenter', 'systemd-nspawn'));
}

/**
 * Returns the archive of a root; makes it if it is missing.
 * @param folder of the archives
 */
export async function archiveOf(folder: string, suite: Suite, withSystemd: boolean): Promise<string> {
  const archive = join(folder, `${suite}${withSystemd ? '-systemd' : ''}.tar`);
  if (existsSync(archive)) return archive;
  await mkdir(folder, { recursive: true });
  const partial = join(folder, `partial-${process.pid}.tar`);
  const include = withSystemd ? ['--include=systemd,systemd-sysv,dbus'] : [];
  try {
    await run('mmdebstrap', ['--quiet', '--variant=minbase', ...include, suite, partial], { maxBuffer: 2 ** 26 });
    await rename(partial, archive);
  } finally {
    await rm(partial, { force: true });
  }
  return archive;
}

/** Unpacks a root into a new folder. */
export async function unpackRoot(archive: string, folder: string): Promise<void> {
  await mkdir(folder);
  await run('tar', [
    '--extract',
    '--numeric-owner',
    '--preserve-permissions',
    `--file=${archive}`,
    `--directory=${folder}`,
  ]);
}
