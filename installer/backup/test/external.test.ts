/**
 * The backup of an operator's own database by pg_dump and pg_restore of the machine. Needs Debian's package `postgresql`.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { backup } from '../../commands/backup/backup.ts';
import { proveLastBackup } from '../../commands/doctor/backup.ts';
import { restore } from '../../commands/restore/restore.ts';
import { silent as output } from '../../output/output.ts';
import { emptyBox, startBox } from './support/box.ts';
import { missing, query, startDebianPostgres, debianVersion as version } from './support/debian.ts';

t.test('a database of the operator is dumped, and restored into an empty one', { skip: missing }, async (t) => {
  const box = await startBox(t);
  await box.server.stop();
  const { root: dir } = box.folder;
  const { create } = await startDebianPostgres(t, dirname(dir));
  const url = await create('store');
  await query(url, 'create table orders (id integer primary key, text text)');
  await query(url, "insert into orders select number, 'ä' || number from generate_series(1, 1000) as number");
  await appendFile(box.folder.secrets, `DATABASE_URL="${url}"\n`);
  const taken = await backup({ dir, keep: 1 }, output);
  t.match(taken, { head: { database: 'external' }, record: { kind: 'dump', postgres: Number(version) } });
  t.match(await proveLastBackup(box.folder, { output }), { rows: 0 });

  const folder = await emptyBox(t);
  const into = (databaseUrl?: string) =>
    restore(
      { dir: folder.root, path: taken.path, backupKeyFile: box.folder.backupKey, ...(databaseUrl && { databaseUrl }) },
      output,
    );
  await t.rejects(into(), { code: 'usage', advice: /--database-url-file/ });
  await t.rejects(into(url), { code: 'usage', message: /not empty/ });
  await t.rejects(into(url.replace('/store', '/missing')), { code: 'not_running' });
  const other = await create('other');
  t.match(await into(other), { counts: { 'public.orders': 1000 } });
  t.match(
    await query(other, "select count(*)::integer as count from orders where text = 'ä' || id"),
    exactly([{ count: 1000 }]),
  );
  const secrets = await readFile(folder.secrets, 'utf8');
  t.equal(secrets.match(/^DATABASE_URL=/gm)?.length, 1);
  t.ok(secrets.includes('/other'), 'the box uses the new database');
});

t.test('clients that are older than the server are named', { skip: missing }, async (t) => {
  const box = await startBox(t);
  const { root: dir } = box.folder;
  await appendFile(box.folder.secrets, `DATABASE_URL="${box.server.url}"\n`);
  await t.rejects(backup({ dir }, output), {
    code: 'usage',
    message: /the database is PostgreSQL \d+, and pg_dump of this machine is of version \d+/,
    advice: /Install postgresql-client-\d+ and try again/,
  });
});
