/**
 * The mail server of a box: none, one that refuses credentials or has no TLS, one that does not respond, and settings that
 * are wrong.
 */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createTestBox, temporaryFolder, until, untilDelivered } from '@carton/runtime/testing';
import { pino } from 'pino';
import t from 'tap';
import { startMailServer } from '../testing/index.ts';
import { createProduct, passTime, placeOrder, recordsOf } from './helpers.ts';

const server = await startMailServer();
t.teardown(() => server.stop());

t.test('without a mail server the box warns, and mails are recorded and can be sent later', async (t) => {
  const lines: string[] = [];
  const log = pino({}, new Writable({ write: (line, _, next) => next(void lines.push(String(line))) }));
  const silent = await createTestBox(t, { log });
  t.ok(
    lines.some((line) => /no mail server is configured/.test(line)),
    'a warning',
  );
  const { id } = await placeOrder(silent, await createProduct(silent));
  await until(
    async () => (await recordsOf(silent, id))[0]?.status,
    (status) => status === 'not_sent',
  );
  const [record] = await recordsOf(silent, id);
  t.match(record, { status: 'not_sent', error: 'No mail server is configured.' });
  await untilDelivered(silent);
  const test = await silent.staff.post('/admin/notification-templates/order.placed/test', {});
  t.match(test, { status: 503, body: { code: 'mail_not_configured' } });
});

t.test('refused credentials and missing TLS delay mails', async (t) => {
  const environment = { ...server.environment, SMTP_TLS: 'starttls' };
  const strict = await createTestBox(t, { environment });
  const { id } = await placeOrder(strict, await createProduct(strict));
  const record = await until(
    async () => (await recordsOf(strict, id))[0],
    (found) => found?.error !== null && found !== undefined,
  );
  t.match(record, { status: 'queued', error: /TLS/i });
});

t.test('mails do not wait one after another for a server that does not respond', async (t) => {
  const mute = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  t.teardown(() => mute.close());
  await once(mute, 'listening');
  const environment = { ...server.environment, SMTP_PORT: String((mute.address() as AddressInfo).port) };
  const waiting = await createTestBox(t, { environment });
  const variantId = await createProduct(waiting);
  const { id } = await placeOrder(waiting, variantId);
  const error = (expected: RegExp) =>
    until(
      async () => (await recordsOf(waiting, id))[0]?.error,
      (found) => expected.test(found ?? ''),
    );
  await error(/Greeting never received/);
  // The delivery is postponed after the mail has its error: time passes for both.
  await until(
    () => waiting.db.query('select from event_deliveries where tenant_id = $1 and error is not null'),
    ({ length }) => length > 0,
  );
  await passTime(waiting);
  t.equal(await error(/to other mails/), 'The mail server did not respond to other mails.');
});

t.test('invalid settings stop the start', async (t) => {
  const folder = await temporaryFolder('mails-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const refuse = (environment: Record<string, string>, message: RegExp) =>
    t.rejects(createTestBox(t, { environment }), { message });
  await refuse({ SMTP_HOST: 'mail.example' }, /MAIL_FROM is not set/);
  const common = { SMTP_HOST: 'mail.example', MAIL_FROM: 'box@mail.example' };
  await refuse({ ...common, SMTP_USER: 'box' }, /both SMTP_USER and SMTP_PASSWORD/);
  await refuse({ ...common, SMTP_USER: 'box', SMTP_PASSWORD: 'x', SMTP_TLS: 'none' }, /without encryption/);
  const open = join(folder, 'open.json');
  await writeFile(open, '{}', { mode: 0o644 });
  await refuse({ MAIL_DKIM_KEYS: open }, /chmod 600/);
  const bad = join(folder, 'bad.json');
  await writeFile(bad, JSON.stringify({ 'own.example': { selector: 'a', privateKey: 'secret' } }), { mode: 0o600 });
  await refuse({ MAIL_DKIM_KEYS: bad }, /must have an RSA privateKey in PEM for own\.example$/);
});
