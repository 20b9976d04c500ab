/**
 * An archive of the write-ahead log in which others may write is not used, unless the operator allows it.
 */
import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { foreignWriters, requireOwnArchive } from '../archive-access.ts';

const segment = '000000010000000000000002';
const history = '00000002.history';
let folders = 0;

/** A folder with a segment and a history, as PostgreSQL archives them. */
async function makeArchive(): Promise<string> {
  const archive = join(t.testdir(), `archive-${++folders}`);
  await mkdir(archive, { mode: 0o700 });
  for (const name of [segment, history]) await writeFile(join(archive, name), name, { mode: 0o600 });
  return archive;
}

t.test('an archive of one owner is used', async (t) => {
  const archive = await makeArchive();
  await chmod(archive, 0o755);
  await chmod(join(archive, segment), 0o644);
  await writeFile(join(archive, 'notes'), '');
  await chmod(join(archive, 'notes'), 0o666);
  t.equal(await foreignWriters(archive), undefined, 'others may read it, and write what no recovery reads');
  await requireOwnArchive(archive, {});
  await requireOwnArchive(join(archive, 'missing'), {});
});

const changes: [string, (archive: string) => Promise<unknown>][] = [
  ['the group may add files', (archive) => chmod(archive, 0o770)],
  ['all may add files', (archive) => chmod(archive, 0o1777)],
  ['the group may write a segment', (archive) => chmod(join(archive, segment), 0o660)],
  ['others may write a history', (archive) => chmod(join(archive, history), 0o602)],
  [
    'a segment is a link',
    async (archive) => {
      await rename(join(archive, segment), join(archive, 'elsewhere'));
      await symlink('elsewhere', join(archive, segment));
    },
  ],
];
for (const [what, change] of changes) {
  t.test(`it is refused if ${what}`, async (t) => {
    const archive = await makeArchive();
    await change(archive);
    await t.rejects(requireOwnArchive(archive, {}), {
      code: 'unverified',
      exitCode: 24,
      advice: /Nothing was changed.*--allow-unverified/,
    });
    const reasons: string[] = [];
    await requireOwnArchive(archive, { allowUnverified: true, warn: (reason) => void reasons.push(reason) });
    t.match(reasons, exactly([/cannot be known/]));
  });
}
