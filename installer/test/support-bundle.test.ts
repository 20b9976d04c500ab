/**
 * `support-bundle`: what it holds, that no secret is in it, and that it works on a broken box.
 */
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { Parser } from 'tar';
import { redactorOf, redactStatements } from '../commands/support-bundle/redaction.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, type TestBox } from './support/box.ts';
import { checkSettingsProgram } from './support/check-settings.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const program = await checkSettingsProgram();
const runtime = makeRuntime('0.1.0', 'healthy', {}, [program.entry]);
const vendor = await startVendor([runtime], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(async () => {
  await vendor.close();
  await rm(program.folder, { recursive: true });
});

/** Every kind of secret that a box has; some have characters that encodings change. */
const secrets = {
  OPERATOR_SECRET: 'operator/secret+of=this-box',
  HOSTING_SECRET: 'hosting-secret-of-this-box',
  METRICS_SECRET: 'metrics-secret-of-this-box',
  SECOND_FACTOR_KEY: 'the-key-of-second-factors-of-this-box-0123',
  STRIPE_SECRET_KEY: 'sk_live_51Hk2a9',
  STRIPE_WEBHOOK_SECRET: 'whsec_5f2a9c',
  SMTP_PASSWORD: 'pä55 wörd&more',
  MEDIA_S3_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  OWN_TOKEN: 'token-of-another-program',
};
const databasePassword = 'database-p4ss-word';
const databaseUrl = `postgres://store:${databasePassword}@db.example/store`;
const inFile = 'sk_test_of_one_tenant_99';
const bucketSecret = 'secret/of+the=bucket-of-backups';
const people = ['jane.doe@example.com', 'jörg+news@example.org', '+49 30 1234567', '203.0.113.77'];

/** The forms in which a value could be found. */
function formsOf(value: string): string[] {
  const encoded = ['', ' ', '  '].map((before) => Buffer.from(`${before}${value} and more`).toString('base64'));
  return [value, encodeURIComponent(value), Buffer.from(value).toString('base64url'), ...encoded];
}

async function readBundle(path: string): Promise<Record<string, string>> {
  const archive = gunzipSync(await readFile(path));
  const files: Record<string, string> = {};
  const parser = new Parser({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk) => chunks.push(chunk as Buffer));
      entry.on('end', () => {
        files[String(entry.path).replace(/^[^/]*\//, '')] = Buffer.concat(chunks).toString();
      });
    },
  });
  await new Promise((resolve, reject) => {
    parser.on('end', resolve).on('error', reject);
    parser.end(archive);
  });
  return files;
}

async function plant(box: TestBox): Promise<string[]> {
  const accounts = join(box.folder.root, '..', 'accounts.json');
  const ofBucket = join(box.folder.root, '..', 'bucket-secret');
  await writeFile(ofBucket, `${bucketSecret}\n`);
  await writeFile(accounts, JSON.stringify({ first: { secretKey: inFile } }));
  const lines = Object.entries({
    ...secrets,
    STRIPE_ACCOUNTS: accounts,
    BACKUP_S3_SECRET_ACCESS_KEY_FILE: ofBucket,
  }).map(([name, value]) => `${name}='${value}'\n`);
  const before = (await readFile(box.folder.secrets, 'utf8')).replace(
    /^(OPERATOR|HOSTING)_SECRET=.*\n|^SECOND_FACTOR_KEY=.*\n/gm,
    '',
  );
  await writeFile(box.folder.secrets, before + lines.join(''));
  const planted = [...Object.values(secrets), key, databasePassword, inFile, bucketSecret, ...people];
  await mkdir(box.folder.logs, { recursive: true });
  await appendFile(
    box.folder.log,
    [
      ...planted.flatMap(formsOf).map((form) => `{"level":"info","msg":"value ${form} seen"}`),
      '{"level":"info","path":"/reset?token=abcdef","authorization":"Bearer abc.def-ghi"}',
      'GET https://user:pass-in-url@host.example/a?email=x HTTP/1.1',
      'this line stays',
    ].join('\n'),
  );
  await mkdir(join(box.folder.data, 'postgresql'), { recursive: true });
  await writeFile(join(box.folder.data, 'postgresql', 'password'), 'password-of-the-cluster');
  await writeFile(
    join(box.folder.data, 'postgresql', 'postgresql.log'),
    "LOG:  started\nDETAIL:  Key (name)=(Jane Doe) already exists.\nSTATEMENT:  insert into members values ('Jane ''Doe')\npassword-of-the-cluster\n",
  );
  return [...planted, 'abcdef', 'abc.def-ghi', 'pass-in-url', 'email=x', 'Jane', 'password-of-the-cluster'];
}

function checkNothingLeaked(t: Test, files: Record<string, string>, planted: string[]) {
  for (const [path, text] of Object.entries(files)) {
    const found = planted.filter((value) => formsOf(value).some((form) => text.includes(form)));
    t.strictSame(found, [], path);
  }
}

t.test('a bundle holds what the vendor needs, and no secret in any form', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install([], { DATABASE_URL: databaseUrl });
  const planted = await plant(box);
  const path = join(box.folder.root, '..', 'bundle.tar.gz');
  const made = await box.run(['support-bundle', '--output', path, '--json']);
  t.match(made, { exitCode: 0, end: { result: { path, missing: exactly([]) } } });
  t.equal((await stat(path)).mode & 0o777, 0o600);
  const files = await readBundle(path);
  t.strictSame(Object.keys(files).sort(), [
    'box.json',
    'carton.lock.json',
    'doctor.json',
    'folder.txt',
    'logs/box.log',
    'logs/postgresql.log',
    'machine.json',
    'migrations.json',
    'names-in-box.env.json',
    'process.json',
    'settings.json',
    'status.json',
    'versions.json',
  ]);
  checkNothingLeaked(t, { ...files, output: made.stdout }, [...planted, databaseUrl]);
  t.match(files['logs/box.log'], /this line stays/);
  t.match(files['logs/postgresql.log'], /LOG: {2}started/);
  t.match(JSON.parse(files['status.json'] ?? ''), { release: end.result?.release, healthy: true });
  t.match(JSON.parse(files['process.json'] ?? ''), { pid: end.result?.pid });
  t.match(files['carton.lock.json'], /sha512-/);
  t.match(await box.run(['support-bundle', '--output', path, '--json']), { exitCode: 2 });
});

t.test('a box that is broken in every way has a bundle that says so', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start'], { DATABASE_URL: databaseUrl });
  const planted = await plant(box);
  await writeFile(box.folder.settings, `{ "controlPlaneUrl": ${secrets.OPERATOR_SECRET}`);
  await rm(box.folder.releases, { recursive: true });
  const path = join(box.folder.root, '..', 'bundle.tar.gz');
  const { exitCode, end } = await box.run(['support-bundle', '--output', path, '--offline', '--json']);
  t.equal(exitCode, 0);
  const { missing } = end.result as unknown as { missing: { path: string }[] };
  t.strictSame(
    missing.map((part) => part.path),
    ['status.json', 'doctor.json', 'settings.json', 'migrations.json'],
  );
  const files = await readBundle(path);
  t.match(files['missing.json'], /box\.json is invalid/);
  checkNothingLeaked(t, files, planted);
  await rm(box.folder.root, { recursive: true });
  t.match(await box.run(['support-bundle', '--json']), { exitCode: 12 });
  t.strictSame(await list(box.folder.root), [], 'nothing is created');
});

t.test('what redaction leaves', async (t) => {
  const redact = redactorOf(['se&cret value']);
  const kept = [
    '2026-11-24T15:08:39.123Z listening on http://127.0.0.1:3001/health',
    'release 0123456789abcdef of 18.4.0, sha512-AbCd+/Ef==, at 15:08:39',
    '{"level":"error","operationId":"readCart","status":500,"milliseconds":12}',
  ];
  for (const line of kept) t.equal(redact(line), line);
  t.equal(redact('a se%26cret%20value, se%26cret+value'), 'a [redacted], [redacted]');
  t.equal(redactStatements("where name = 'O''Brien' and id = 1"), "where name = '[redacted]' and id = 1");
});
