/**
 * A disk that fills up during a backup and a restore: one clear error, nothing half left, and with space the same command
 * succeeds. The disk is a small file system in memory, which only root can mount.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { boxFolder } from '../../box/folder.ts';
import { backup } from '../../commands/backup/backup.ts';
import { restore } from '../../commands/restore/restore.ts';
import { silent as output } from '../../output/output.ts';
import { addRelease, startBox } from './support/box.ts';

const run = promisify(execFile);

/** Mounts a disk of some megabytes; undefined where that is not allowed. */
async function mountDisk(t: Test, megabytes: number): Promise<string | undefined> {
  const folder = await temporaryFolder('disk-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}M,mode=755`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (!mounted) return undefined;
  t.teardown(() => run('umount', ['--lazy', folder]));
  return folder;
}

/** Fills the disk as soon as a file or folder with such a name appears in a folder. */
function fillAt(disk: string, within: string, name: RegExp): { filled: Promise<void>; give(): void } {
  let open = true;
  const filled = (async () => {
    while (open) {
      const names = await readdir(within).catch(() => []);
      if (names.some((each) => name.test(each))) {
        // It takes what there is, and fails.
        await run('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=256k']).catch(() => undefined);
        return;
      }
      await sleep(1);
    }
  })();
  return {
    filled,
    give: () => {
      open = false;
    },
  };
}

t.test('a full disk', async (t) => {
  const disk = await mountDisk(t, 400);
  if (!disk) return void t.comment('skipped: this user may not mount a disk');
  const box = await startBox(t);
  const { root: dir } = box.folder;
  const large = Buffer.alloc(60_000_000);
  for (let at = 0, state = 1; at < large.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    large.writeUInt32LE(state, at);
  }
  await mkdir(join(box.folder.data, 'media'), { recursive: true });
  await writeFile(join(box.folder.data, 'media/large'), large);
  const to = join(disk, 'backups');

  const duringBackup = fillAt(disk, to, /\.partial$/);
  await t.rejects(backup({ dir, to }, output), { code: 'disk_full', exitCode: 8 });
  duringBackup.give();
  await duringBackup.filled;
  t.strictSame(await readdir(to), [], 'nothing is left');
  await t.rejects(
    backup({ dir, to }, output),
    { code: 'disk_full', message: /not enough disk space/ },
    'checked before',
  );
  await rm(join(disk, 'filler'));
  const { path, record } = await backup({ dir, to: join(dirname(dir), 'b.tar.zst') }, output);
  t.strictSame((await backup({ dir, to }, output)).record.kind, 'running');

  const folder = boxFolder(join(disk, 'box'));
  await addRelease(folder);
  const before = (await readdir(folder.root)).sort();
  const duringRestore = fillAt(disk, join(folder.data, 'postgresql'), /^data\..*\.partial$/);
  await t.rejects(restore({ dir: folder.root, path, backupKeyFile: box.folder.backupKey }, output), {
    code: 'disk_full',
    exitCode: 8,
  });
  duringRestore.give();
  await duringRestore.filled;
  t.strictSame((await readdir(folder.root)).filter((name) => name !== 'data').sort(), before);
  t.notOk((await readdir(join(folder.data, 'postgresql'))).some((name) => /data|password/.test(name)));
  await rm(join(disk, 'filler'));
  const restored = await restore({ dir: folder.root, path, backupKeyFile: box.folder.backupKey }, output);
  t.strictSame(restored.counts, record.counts);
  t.equal((await stat(join(folder.data, 'media/large'))).size, large.length);
});
