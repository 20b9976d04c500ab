/**
 * What a copy of the database is good for: with SIGNING_KEY_SECRET to restore the control plane, without it for nothing.
 */
import { createPrivateKey } from 'node:crypto';
import { connect } from '@carton/runtime/service';
import { callerOf, createTestDatabase } from '@carton/runtime/testing';
import { createLocalJWKSet, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { startControlPlane } from '../index.ts';
import { optionsFor, startTestControlPlane } from './test-control-plane.ts';

const signingKeySecret = 'a secret of the signing keys';
const controlPlane = await startTestControlPlane(t, { signingKeySecret });
await controlPlane.admin.post('/signing-keys/rotate');
const { key, id } = await controlPlane.mint('customer-1');
const { token } = (await controlPlane.visitor().post('/license/activate', { key })).body;
const { db, options } = controlPlane;

/** The rows of each table, as a dump has them. */
async function dump(): Promise<Map<string, string>> {
  const { rows } = await db.raw(
    `select format('%I', tablename) as name from pg_tables where schemaname = current_schema() order by 1`,
  );
  const tables = new Map<string, string>();
  for (const { name } of rows) {
    const { rows: found } = await db.raw(`select coalesce(json_agg(r), '[]')::text as text from ${name} r`);
    tables.set(name, found[0].text);
  }
  return tables;
}

/** Restores a dump into a new database that is dropped after the test; returns its URL. */
async function restore(t: Test, tables: ReadonlyMap<string, string>): Promise<string> {
  const { url, drop } = await createTestDatabase('empty');
  t.teardown(drop);
  await (await startControlPlane(optionsFor(url))).stop();
  const copy = connect({ url, poolSize: 1 });
  // As pg_restore does: rows are not in the order of their references.
  await copy.raw('set session_replication_role = replica');
  for (const [name, rows] of tables) {
    await copy.raw(`delete from ${name}`);
    await copy.raw(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ?)`,
      [rows],
    );
  }
  const { rows: identities } = await copy.raw(
    `select format('%I', table_name) as name, column_name as column from information_schema.columns
      where table_schema = current_schema() and is_identity = 'YES'`,
  );
  for (const { name, column } of identities) {
    await copy.raw(
      `select setval(pg_get_serial_sequence('${name}', '${column}'), max(${column}) + 1, false) from ${name}`,
    );
  }
  await copy.destroy();
  return url;
}

t.test('a copy of the database has no usable signing key, licence key, token or secret', async (t) => {
  const text = [...(await dump()).values()].join('\n').replaceAll('\\n', '\n');
  t.ok(text.includes(id), 'the copy has the licence');
  const privateKeys = text.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/g) ?? [];
  t.equal(privateKeys.length, 2, 'of the current and the next key');
  for (const pem of privateKeys) {
    t.throws(() => createPrivateKey(pem), { code: 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED' });
    // One guess of 256 ends in bytes that look like valid padding. It then fails as a key that cannot be read.
    t.throws(() => createPrivateKey({ key: pem, passphrase: 'a guess of the secret' }), { code: /^ERR_OSSL_/ });
    const { d = '', p = '' } = createPrivateKey({ key: pem, passphrase: signingKeySecret }).export({ format: 'jwk' });
    for (const part of [d, p]) {
      const bytes = Buffer.from(part, 'base64url');
      for (const form of [part, bytes.toString('base64'), bytes.toString('hex')]) t.notOk(text.includes(form));
    }
  }
  const { adminSecret, registrySecret, publishSecret = '', hostingSecret = '' } = options;
  for (const secret of [signingKeySecret, key, token, adminSecret, registrySecret, publishSecret, hostingSecret]) {
    t.ok(secret.length >= 16);
    t.notOk(text.includes(secret));
  }
});

t.test('a restored copy needs the secret; with it, licences and tokens are valid as before', async (t) => {
  const url = await restore(t, await dump());
  for (const other of [undefined, 'another secret of the keys']) {
    await t.rejects(startControlPlane(optionsFor(url, { signingKeySecret: other })), { message: /SIGNING_KEY_SECRET/ });
  }
  const restored = await startControlPlane(optionsFor(url, { signingKeySecret }));
  t.teardown(() => restored.stop());
  const visitor = callerOf(restored.url);
  const keys = createLocalJWKSet((await visitor.get('/.well-known/jwks.json')).body);
  t.equal((await jwtVerify(token, keys)).payload.sub, 'customer-1', 'a token of before');
  const again = await visitor.post('/license/activate', { key });
  t.equal(again.status, 200);
  const original = createLocalJWKSet((await controlPlane.visitor().get('/.well-known/jwks.json')).body);
  t.equal((await jwtVerify(again.body.token, original)).payload.sub, 'customer-1', 'it signs with the same key');
});
