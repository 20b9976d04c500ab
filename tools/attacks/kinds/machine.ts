/**
 * The machine of a box: changed backups given to `restore`, and other users of the machine who hold the lock of its folder.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { addingLines, changing, tamper, withoutSeals } from '../../../installer/backup/testing/tampered.ts';
import { exitCodes } from '../../../installer/exit-codes.ts';
import { carton } from '../../shipped-stack/machine.ts';
import { boxFolder } from '../../shipped-stack/settings.ts';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';

/** The exit code of a command, as the status of its answer. */
async function give({ settings }: Target, ...words: string[]): Promise<{ status: number; output: string }> {
  const { code, output } = await carton(settings, words);
  return { status: code, output };
}

/** Takes a backup of the box. @returns its file */
async function takeBackup(target: Target): Promise<string> {
  const to = join(target.folder, 'backups');
  await rm(to, { recursive: true, force: true });
  await mkdir(to);
  const { status, output } = await give(target, 'backup', 'create', '--to', to, '--dir', boxFolder(target.settings));
  if (status !== 0) throw new Error(`no backup is taken: ${output}`);
  return join(to, (await readdir(to)).find((name) => name.endsWith('.tar.zst')) ?? '');
}

export const machine: readonly Attack[] = [
  {
    name: 'machine: changed backups',
    tries: 'a backup gets a variable that loads code, with digests computed again, or loses its seals',
    async run(target, observe) {
      const file = await takeBackup(target);
      const copy = join(target.folder, 'copy');
      const evil = join(target.folder, 'evil.cjs');
      const ran = join(target.folder, 'ran');
      await writeFile(evil, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`);
      const preload = addingLines(`NODE_OPTIONS=--require ${evil}`, 'LD_PRELOAD=/tmp/evil.so');
      const key = ['--backup-key-file', join(boxFolder(target.settings), '.backup-key')];
      const restore = async (from: string, ...more: string[]) => {
        await rm(copy, { recursive: true, force: true });
        return give(target, 'restore', from, '--dir', copy, ...more);
      };
      observe.works('the backup with the key of the box', await restore(file, ...key), 0);
      const { status: unverified } = exitCodes.unverified;
      observe.refused('without the key', await restore(file), { status: unverified });
      const { status: damaged } = exitCodes.integrity_failed;
      const withEvil = join(target.folder, 'evil.tar.zst');
      const changes: [string, Parameters<typeof tamper>[2]][] = [
        ['a variable that loads code', preload],
        [
          'settings of the database',
          changing('database/data/postgresql.auto.conf', (entry) => ({
            ...entry,
            content: Buffer.from("archive_command = 'touch /tmp/x'\n"),
          })),
        ],
      ];
      for (const [what, change] of changes) {
        await tamper(file, withEvil, change);
        observe.refused(what, await restore(withEvil, ...key), { status: damaged });
        observe.refused(`${what}, without the key`, await restore(withEvil), { status: unverified });
        observe.is('a box is there', existsSync(join(copy, 'box.env')), false);
        await tamper(file, withEvil, (entries) => withoutSeals(change(entries)));
        observe.refused(`${what}, without seals`, await restore(withEvil, ...key), { status: unverified });
        observe.is('a box is there', existsSync(join(copy, 'box.env')), false);
      }
      await tamper(file, withEvil, (entries) => withoutSeals(preload(entries)));
      const allowed = await restore(withEvil, '--allow-unverified');
      observe.works('what the operator allows', allowed, 0);
      const environment = await readFile(join(copy, 'box.env'), 'utf8');
      observe.is('its box.env loads code', /NODE_OPTIONS|LD_PRELOAD/.test(environment), false);
      observe.is('code has run', existsSync(ran), false);
      await rm(copy, { recursive: true, force: true });
    },
  },
  {
    name: 'machine: the lock of others',
    tries: 'another user of the machine holds the names from which earlier locks were made',
    async run(target, observe) {
      const folder = boxFolder(target.settings);
      const config = (...words: string[]) => give(target, 'config', ...words, '--dir', folder);
      observe.works('a command', await config('set', 'TZ=UTC'), 0);
      // As commands of before made it.
      const hash = createHash('sha256').update(folder).digest('hex').slice(0, 32);
      const names = ['box', 'lock', 'backup-lock'].map((kind) => `carton-${kind}-${hash}`);
      const servers = names.map((name) => createServer().listen(`\0${name}`));
      try {
        observe.works('a command while all these are held', await config('unset', 'TZ'), 0);
        const open = (await readdir(folder)).filter((name) => name.startsWith('.lock'));
        observe.is('locks that are left', open.length, 0);
        const { mode } = await stat(join(folder, 'box.env'));
        observe.is('others may read box.env', (mode & 0o077) === 0, true);
      } finally {
        for (const server of servers) server.close();
      }
    },
  },
];
