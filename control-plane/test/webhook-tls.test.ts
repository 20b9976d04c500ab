/**
 * Receivers of webhooks over TLS: the certificate has to be of an authority that Node.js knows (`NODE_EXTRA_CA_CERTS` adds
 * one) and for the name of the URL; otherwise the attempt fails and says why.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callerOf, exactly, missingPrograms } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { startResponder } from '../boxes/testing/dns-responder.ts';
import { run, settings } from './processes.ts';
import { makeDatabase } from './test-control-plane.ts';
import { startReceiver, until } from './webhook-receiver.ts';

const skip = missingPrograms('openssl');

if (skip) t.plan(0, skip);
else {
  const host = 'hooks.vendor.store';
  const folder = t.testdir({});
  const fileOf = (name: string) => join(folder, name);

  /** Makes a certificate and its key, of an authority or, without one, of itself. */
  async function certify(name: string, subject: string, authority?: string) {
    const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    words.push('-keyout', fileOf(`${name}.key`), '-out', fileOf(`${name}.crt`), '-subj', `/CN=${subject}`);
    if (authority) words.push('-CA', fileOf(`${authority}.crt`), '-CAkey', fileOf(`${authority}.key`));
    words.push('-addext', `subjectAltName=DNS:${subject}`);
    await promisify(execFile)('openssl', words);
    return { cert: await readFile(fileOf(`${name}.crt`), 'utf8'), key: await readFile(fileOf(`${name}.key`), 'utf8') };
  }

  await certify('authority', 'Authority of the tests');
  const responder = await startResponder(t, { [host]: { a: ['127.0.0.1'] } });
  const { url: databaseUrl } = await makeDatabase(t);
  const controlPlane = run(t, {
    ...settings,
    DATABASE_URL: databaseUrl,
    NODE_EXTRA_CA_CERTS: fileOf('authority.crt'),
    NAMESERVER_LOOKUP: responder.address,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    ADMIN_SECRET: 'admin-secret-of-the-tests',
  });
  const admin = callerOf(await controlPlane.url, { authorization: 'Bearer admin-secret-of-the-tests' });

  /** Sends a test to a receiver with this certificate. */
  async function test(t: Test, certificate: { cert: string; key: string }) {
    const receiver = await startReceiver(t, 0, certificate);
    const { body: webhook } = await admin.post('/webhooks', { url: `https://${host}:${receiver.port}/hook` });
    receiver.secrets = [webhook.secret];
    const { body } = await admin.post(`/webhooks/${webhook.id}/test`);
    const read = async () => (await admin.get(`/webhooks/${webhook.id}/deliveries/${body.id}`)).body;
    return { receiver, read };
  }

  t.test('an event is delivered to a certificate of the added authority, for the name of the URL', async (t) => {
    const { receiver, read } = await test(t, await certify('right', host, 'authority'));
    await until(t, 'it is delivered', async () => (await read()).state === 'delivered');
    t.match(receiver.received, exactly([{ signedBy: exactly([0]), headers: { host: `${host}:${receiver.port}` } }]));
  });

  t.test('another certificate is a failed attempt with the reason, and the receiver gets nothing', async (t) => {
    const cases: [{ cert: string; key: string }, RegExp][] = [
      [
        await certify('other', 'elsewhere.vendor.store', 'authority'),
        /^the certificate was rejected: .*hooks\.vendor\.store.* \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
      ],
      [
        await certify('alone', host),
        /^the certificate was rejected: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
      ],
    ];
    for (const [certificate, error] of cases) {
      const { receiver, read } = await test(t, certificate);
      await until(t, 'the attempt has ended', async () => (await read()).attempts.length > 0);
      t.match(await read(), { state: 'pending', attempts: exactly([{ status: null, error }]) });
      t.strictSame(receiver.received, []);
    }
  });
}
