/**
 * `config` on an installed box: what it shows, what it writes, and what it refuses.
 */
import { appendFile, chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { editVariables } from '../box/edit-settings.ts';
import { scope } from '../vendor.ts';
import { key, makeBox, type TestBox } from './support/box.ts';
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

const password = 'correct-horse-battery-staple';
const databaseUrl = `postgres://shop:${password}@db.example/shop`;
const read = (box: TestBox) => readFile(box.folder.secrets, 'utf8');

t.test('lists settings with their source, and masks secrets', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start'], { DATABASE_URL: databaseUrl });
  const operatorSecret = parseEnv(await read(box)).OPERATOR_SECRET as string;
  const requests = vendor.requests.length;
  await appendFile(box.folder.secrets, 'DRAIN_SECONDS=5\nOWN_TOKEN=of-another-program\n');
  const { exitCode, end, stdout } = await box.run(['config', '--json']);
  t.equal(exitCode, 0);
  const { settings } = end.result as unknown as { settings: { name: string }[] };
  const shown = Object.fromEntries(settings.map(({ name, ...facts }) => [name, facts]));
  t.match(shown.DRAIN_SECONDS, { value: '5', default: '0', source: 'box.env', secret: false });
  t.match(shown.PORT, { value: String(box.port), default: '3001', source: 'box.json' });
  t.match(shown.LOG_LEVEL, { value: 'info', source: 'default' });
  t.match(shown.STRIPE_SECRET_KEY, { value: undefined, source: 'none', secret: true });
  t.match(shown.DATABASE_URL, { value: '********', source: 'box.env', secret: true });
  t.match(shown.OWN_TOKEN, { value: '********', source: 'box.env', declared: false });
  t.equal(shown.BOX_HOME, undefined, 'what the installer derives is no setting');
  const plain = await box.run(['config', 'list', '--set']);
  t.match(plain.stdout, /DRAIN_SECONDS +5 +box\.env \(default: 0\)/);
  for (const secret of [password, operatorSecret, 'of-another-program', key]) {
    t.notMatch(stdout + plain.stdout, secret);
  }
  t.match(await box.run(['config', 'get', 'DRAIN_SECONDS']), { exitCode: 0, stdout: /^5\n$/ });
  t.match(await box.run(['config', 'get', 'OPERATOR_SECRET']), { stdout: /^\*{8}\n$/ });
  t.equal((await box.run(['config', 'get', 'OPERATOR_SECRET', '--reveal'])).stdout, `${operatorSecret}\n`);
  t.match(await box.run(['config', 'get', 'NO_SETTING', '--json']), { exitCode: 2 });
  t.equal(vendor.requests.length, requests, 'the control plane is not asked');
});

t.test('changes only what is named, and keeps the rest as it is', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const before = `# mine\n\n${await read(box)}DRAIN_SECONDS=5 # why\nSMTP_HOST=mail.example\nMAIL_FROM=a@example.com\n`;
  await writeFile(box.folder.secrets, before);
  t.match(await box.run(['config', 'set', 'DRAIN_SECONDS=10', 'RATE_LIMIT_LOGIN=60', '--json']), {
    exitCode: 0,
    end: { result: { changed: exactly(['DRAIN_SECONDS', 'RATE_LIMIT_LOGIN']), restartNeeded: false } },
  });
  const after = `${before.replace('DRAIN_SECONDS=5 # why', 'DRAIN_SECONDS=10')}RATE_LIMIT_LOGIN=60\n`;
  t.equal(await read(box), after);
  t.equal((await stat(box.folder.secrets)).mode & 0o777, 0o600);
  t.match(await box.run(['config', 'unset', 'RATE_LIMIT_LOGIN', 'SMTP_USER']), {
    exitCode: 0,
    stdout: 'Changed: RATE_LIMIT_LOGIN.\n',
  });
  t.equal(await read(box), after.replace('RATE_LIMIT_LOGIN=60\n', ''));
  const port = String(box.port + 1);
  t.match(await box.run(['config', 'set', `PORT=${port}`]), { exitCode: 0 });
  t.match(JSON.parse(await readFile(box.folder.settings, 'utf8')), { port: box.port + 1, tier: 'basic' });
  t.notMatch(await read(box), 'PORT');
});

t.test('refuses what the release does not accept, and writes nothing', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const before = await read(box);
  const refusals: [string[], RegExp][] = [
    [['set', 'DRAIN_SECONDS=soon'], /invalid setting: DRAIN_SECONDS must be integer/],
    [['set', 'LOG_LEVEL=loud'], /LOG_LEVEL must be one of debug, info/],
    [['set', 'DRAIN_SECOND=1'], /DRAIN_SECOND is no setting of this box/],
    [['set', 'MEDIA_STORAGE=s3'], /MEDIA_S3_BUCKET is missing/],
    [['set', 'DRAIN_SECONDS'], /DRAIN_SECONDS is not NAME=value/],
    [['set', 'BOX_HOME=/tmp'], /BOX_HOME is derived/],
    [['set', 'LICENSE_KEY=x'], /the licence key is no setting/],
    [['set', 'PORT=99999999'], /is not a port/],
    [['unset', 'HOST'], /a box needs HOST and PORT/],
    [['set', 'SMTP_PASSWORD=a\nLOG_LEVEL=debug'], /contains a quote, a backslash or a line break/],
    [['set', 'a b=c'], /is not the name of a setting/],
  ];
  for (const [words, message] of refusals) {
    t.match(await box.run(['config', ...words, '--json']), { exitCode: 2, end: { error: { message } } });
  }
  t.equal(await read(box), before);
  t.match(await box.run(['config', 'set', 'MEDIA_STORAGE=s3', 'MEDIA_S3_BUCKET=media']), { exitCode: 0 });
  t.match(await box.run(['config', 'set', 'OWN_TOKEN=a', '--unchecked']), { exitCode: 0 });
});

t.test('a secret comes from a file or standard input', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const path = join(box.folder.root, '..', 'password.txt');
  await writeFile(path, `${password}\n`);
  const { stdout } = await box.run(['config', 'set', 'SMTP_PASSWORD', '--from-file', path]);
  t.equal(stdout, 'Changed: SMTP_PASSWORD.\n');
  t.equal(parseEnv(await read(box)).SMTP_PASSWORD, password);
  const { child, ended } = box.begin(['config', 'set', 'SMTP_PASSWORD', '-']);
  child.stdin?.end('another one');
  t.match(await ended, { exitCode: 0 });
  t.equal(parseEnv(await read(box)).SMTP_PASSWORD, 'another one');
  t.match(await box.run(['config', 'set', `SMTP_PASSWORD=${password}`]), {
    stdout: /^warning: SMTP_PASSWORD on the command line was visible/,
  });
});

t.test('a running box gets the settings with --restart', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  t.match(await box.run(['config', 'set', 'DRAIN_SECONDS=0']), { stdout: /until carton restart\.\n$/ });
  t.match(await box.run(['config', 'set', 'SLOW_QUERY_MILLISECONDS=7', '--restart', '--json']), {
    exitCode: 0,
    end: { result: { changed: exactly(['SLOW_QUERY_MILLISECONDS']), restarted: true, restartNeeded: false } },
  });
  t.match(await box.ask(), { environment: { SLOW_QUERY_MILLISECONDS: '7' } });
  t.not((await box.run(['status', '--json'])).end.result?.pid, end.result?.pid);
});

t.test('check says what is wrong, and one fault at a time can be corrected', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  t.match(await box.run(['config', 'check', '--json']), { exitCode: 0, end: { result: { faults: exactly([]) } } });
  await appendFile(
    box.folder.secrets,
    'DRAIN_SECONDS=soon\nSMTP_HOST=mail.example\nPAYMENT_ADAPTERS=stripe\nOWN_TOKEN=a\n',
  );
  await chmod(box.folder.secrets, 0o644);
  const { exitCode, end } = await box.run(['config', 'check', '--json']);
  t.equal(exitCode, 16);
  const { faults } = end.result as unknown as { faults: string[] };
  const expected = [
    /other users can read .*: run chmod 600/,
    /DRAIN_SECONDS must be integer/,
    /MAIL_FROM/,
    /STRIPE_SECRET_KEY or STRIPE_ACCOUNTS is not set, and PAYMENT_ADAPTERS names stripe/,
    /OWN_TOKEN in box\.env is no setting/,
  ];
  t.match(faults, exactly(expected));
  t.match(await box.run(['config', 'set', 'DRAIN_SECONDS=1']), { exitCode: 0 });
  t.match(await box.run(['config', 'unset', 'OWN_TOKEN', 'SMTP_HOST', 'PAYMENT_ADAPTERS']), { exitCode: 0 });
  t.match(await box.run(['config', 'check']), { exitCode: 0, stdout: 'The settings are right.\n' });
});

t.test('the text of box.env', async (t) => {
  const edit = (text: string, changes: Record<string, string | null>) =>
    editVariables(text, new Map(Object.entries(changes)));
  t.equal(edit('', { A: '1' }), 'A=1\n');
  t.equal(edit('A=1\nB=2\nA=3\n', { A: '4' }), 'A=4\nB=2\n', 'the last line of a name counts, so all are replaced');
  t.equal(edit('export A=1\n# B=2\n', { A: null, B: '3' }), '# B=2\nB=3\n');
  t.equal(edit('A="x\nB=inside\ny"\nB=2\n', { B: '3' }), 'A="x\nB=inside\ny"\nB=3\n', 'a value of several lines');
  t.equal(edit('A="x\ny"\nB=2\n', { A: 'a b#c' }), "A='a b#c'\nB=2\n");
  t.equal(edit("A='open\nB=2\n", { B: '3' }), "A='open\nB=3\n");
  t.throws(() => edit('A=1\n', { B: "it's" }), { code: 'usage' });
});
