/**
 * Mutations of the rules of backups: what shows that one is as the box has written it, and what a restore takes from it.
 */
import type { Mutation } from '../mutation.ts';

const verified = 'installer/backup/test/verified.test.ts';

export const backups: readonly Mutation[] = [
  {
    rule: 'The settings of a backup are used once their seal is verified',
    file: 'installer/backup/read.ts',
    text: 'if (!isAuthentic) {',
    replacement: 'if (verification.ask) {',
    tests: [verified],
  },
  {
    rule: 'The files of a backup are those of its seal',
    file: 'installer/backup/read.ts',
    text: 'if (key) requireSeal(',
    replacement: 'if (!key) requireSeal(',
    tests: [verified],
  },
  {
    rule: 'Each file of a backup is there',
    file: 'installer/backup/read.ts',
    text: 'if (expected.size > 0) throw',
    replacement: 'if (expected.size > 99_999) throw',
    tests: [verified],
  },
  {
    rule: 'A backup has no folders that were added',
    file: 'installer/backup/read.ts',
    text: 'if (manifest.folders && !',
    replacement: 'if (!manifest.folders && !',
    tests: [verified],
  },
  {
    rule: 'A passphrase verifies only a backup that is encrypted',
    file: 'installer/backup/archive.ts',
    text: 'let authentic = false;',
    replacement: 'let authentic = passphrase !== undefined;',
    tests: [verified],
  },
  {
    rule: 'A backup with a wrong seal is refused whatever is allowed',
    file: 'installer/backup/seal.ts',
    text: '  requireSeal(name, sealed, key);\n',
    replacement: '  if (!allowUnverified) requireSeal(name, sealed, key);\n',
    tests: [verified],
  },
  {
    rule: 'A restore takes no process environment from a backup',
    file: 'installer/backup/restored-settings.ts',
    text: '.filter((name) => !isSetting(name, declared))',
    replacement: '.filter((name) => isSetting(name, new Set([name])) && !isSetting(name, declared))',
    tests: [verified],
  },
  {
    rule: 'The catalogue of backups names no file elsewhere',
    file: 'installer/backup/catalogue.ts',
    text: '/^[^/.][^/]*\\.(zst|enc)$/',
    replacement: '/\\.(zst|enc)$/',
    tests: [verified],
  },
  {
    rule: 'The backup of an upgrade is sealed',
    file: 'installer/backup/database-folder.ts',
    text: 'value: content }, verification)',
    replacement: 'value: content }, { ...verification, allowUnverified: true })',
    tests: ['installer/backup/test/database.test.ts'],
  },
  {
    rule: 'A box gets no variables of box.env that are no settings',
    file: 'installer/box/known-variables.ts',
    text: '!ofCommand.test(name) && isAccepted(name, value, declared)',
    replacement: '!ofCommand.test(name)',
    tests: ['installer/test/lifecycle-commands.test.ts'],
  },
  {
    rule: 'Another user does not hold the lock of commands, of backups and others',
    file: 'installer/box/lock.ts',
    text: '(await lockByFile(directory, command, kind)) ?? (await',
    replacement: '(await',
    tests: ['installer/test/pieces.test.ts'],
  },
  {
    rule: 'For an unverified backup, only a signed release is pulled',
    file: 'installer/commands/restore/restore.ts',
    text: "if (verifiedBy === 'nothing') await requireSigned",
    replacement: "if (verifiedBy !== 'nothing') await requireSigned",
    tests: ['installer/test/restore.test.ts'],
  },
  {
    rule: 'An archive of the WAL in which others may write is not used',
    file: 'installer/commands/restore/restore.ts',
    text: 'await requireOwnArchive(recovery.archive, verification);',
    replacement: '',
    tests: ['installer/backup/test/point-in-time.test.ts'],
  },
];
