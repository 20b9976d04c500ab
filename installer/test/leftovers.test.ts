/**
 * What a killed command or supervisor was writing is removed by the next one, and nothing else.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { boxFolder } from '../box/folder.ts';
import { isOfLock, withLock } from '../box/lock.ts';
import { reachable } from '../box/socket-path.ts';
import { silent } from '../output/output.ts';
import { supervise } from '../supervisor/supervision.ts';

const { pid: dead } = spawnSync('true');
/** Not this process, which removes its own file before it writes another. */
const alive = process.ppid;
const release = '0123456789abcdef';

/** A folder with what a process that has ended and one that runs would leave. */
function makeFolder(t: Test) {
  const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, '']));
  const both = (name: string) => [`${name}.${dead}.new`, `${name}.${alive}.new`];
  const secrets = both('box.env.before-20261126T101112Z');
  return t.testdir({
    ...named(['box.json', 'box.env', 'box.json', '.installation-id', '.restoring.json', '.backup-key'].flatMap(both)),
    ...named([...secrets, 'box.json', 'box.json.1.new', 'current.new']),
    ...named([`notes.${dead}.new`, 'box.env.20261126.new', 'box.env.new', `box.pid.${dead}.old.new`]),
    [`backup.json.${dead}.new`]: {},
    backups: named(['.upload.json', '.carton-backups.json', '2026.zst'].flatMap(both)),
    releases: { [release]: named([...both('.settings.json'), '.settings.json']) },
    run: named([...both('next.json'), ...both('box.pid'), `box.pid.${dead}.old`, `box.pid.${alive}.old`]),
    upgrades: { ...named(['journal.json', ...both('journal.json')]), one: named(both('upgrade.json')) },
    linked: { upgrades: t.fixture('symlink', '../upgrades') },
  });
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !isOfLock(basename(name)) && !name.startsWith('linked'))
    .sort();
}

/** What stays: files of processes that run, and those that no command has written. */
function kept(names: string[]): string[] {
  const ofOthers = [
    `notes.${dead}.new`,
    `backup.json.${dead}.new`,
    `box.pid.${dead}.old.new`,
    `backups/2026.zst.${dead}.new`,
  ];
  return names.filter((name) => ofOthers.includes(name) || !name.includes(`.${dead}.`));
}

t.test('by the next command', async (t) => {
  const folder = makeFolder(t);
  const before = namesIn(folder);
  await withLock(join(folder, 'linked'), 'start', async () => {
    t.strictSame(namesIn(folder), before, 'nothing behind a link');
  });
  await withLock(folder, 'start', async () => t.strictSame(namesIn(folder), kept(before)));
});

t.test('by the next supervisor, also if its box does not start', async (t) => {
  const folder = makeFolder(t);
  const before = namesIn(folder);
  const launch = { release, host: '127.0.0.1', port: 1, secrets: {} };
  await supervise(boxFolder(folder), launch, silent, { watchdogSeconds: 0 }).then(
    ({ ended }) => ended,
    () => undefined,
  );
  t.strictSame(
    namesIn(folder).filter((name) => !name.startsWith('logs')),
    kept(before),
  );
});

t.test('a socket of a lock that its command could not begin to hold', async (t) => {
  const folder = t.testdir();
  const [left, own] = [dead, alive].map((pid) => `.lock-${release}-${pid}.new`);
  const servers = [left, own].map((name) => createServer().listen(reachable(join(folder, name as string))));
  t.teardown(() => servers.map((server) => server.close()));
  await withLock(folder, 'start', async () => {
    const names = readdirSync(folder);
    t.notOk(names.includes(left as string));
    t.ok(names.includes(own as string));
  });
});
